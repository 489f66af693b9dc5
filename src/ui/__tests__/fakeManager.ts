/** A manager that shows what it is given and remembers what was asked of it. */
import { Signal } from '@lumino/signaling';
import type {
  AnswerDetail,
  ComparedPair,
  IRefineManager,
  RefineView
} from '../../tokens';

type Preview = Awaited<ReturnType<IRefineManager['previewRequest']>>;

export type Call = readonly [name: string, ...args: unknown[]];

export class FakeManager implements IRefineManager {
  constructor(
    private _view: RefineView,
    private readonly preview?: Preview
  ) {}

  readonly viewChanged: Signal<IRefineManager, void> = new Signal(this);
  readonly calls: Call[] = [];
  /** Rejects the next asynchronous call. */
  failure: Error | null = null;
  isDisposed = false;

  get view(): RefineView {
    return this._view;
  }

  show(change: Partial<RefineView>): void {
    this._view = { ...this._view, ...change };
    this.viewChanged.emit();
  }

  setPrompt(text: string): void {
    this.calls.push(['setPrompt', text]);
  }
  refine(): Promise<void> {
    return this.called('refine');
  }
  generateAssertions(): Promise<void> {
    return this.called('generateAssertions');
  }
  check(): Promise<void> {
    return this.called('check');
  }
  moreAttempts(count: number): Promise<void> {
    return this.called('moreAttempts', count);
  }
  answerDispute(answer: 'right' | 'skip'): Promise<void> {
    return this.called('answerDispute', answer);
  }
  addCheck(source: string): void {
    this.calls.push(['addCheck', source]);
  }
  stop(): void {
    this.calls.push(['stop']);
  }
  setPaused(paused: boolean): void {
    this.calls.push(['setPaused', paused]);
  }
  step(): void {
    this.calls.push(['step']);
  }
  hint(text: string): void {
    this.calls.push(['hint', text]);
  }
  runningIn(): string | null {
    return null;
  }
  compare(pair: ComparedPair): Promise<void> {
    return this.called('compare', pair);
  }
  followUp(text: string): Promise<void> {
    return this.called('followUp', text);
  }
  ask(question: string): Promise<void> {
    return this.called('ask', question);
  }
  explainError(): Promise<void> {
    return this.called('explainError');
  }
  continueFrom(attempt: number, count: number): Promise<void> {
    return this.called('continueFrom', attempt, count);
  }
  runEdited(attempt: number, code: string): Promise<void> {
    return this.called('runEdited', attempt, code);
  }
  allow(attempt: number): Promise<void> {
    return this.called('allow', attempt);
  }
  showHistory(shown: boolean): Promise<void> {
    return this.called('showHistory', shown);
  }
  openPast(id: string | null): Promise<void> {
    return this.called('openPast', id);
  }
  debug(attempt: number): Promise<void> {
    return this.called('debug', attempt);
  }
  accept(attempt: number, run?: boolean): Promise<void> {
    return this.called('accept', attempt, ...(run ? [run] : []));
  }
  restore(): Promise<void> {
    return this.called('restore');
  }
  answer(
    questionId: string,
    choiceId: string,
    ...detail: AnswerDetail[]
  ): void {
    this.calls.push(['answer', questionId, choiceId, ...detail]);
  }
  async previewRequest(): Promise<Preview> {
    await this.called('previewRequest');
    if (this.preview === undefined) {
      throw new Error('This fake has no preview.');
    }
    return this.preview;
  }
  refreshModels(again?: boolean): Promise<void> {
    return this.called('refreshModels', again);
  }
  selectModel(choice: string): Promise<void> {
    return this.called('selectModel', choice);
  }
  setKey(key: string, baseUrl: string | null): Promise<void> {
    return this.called('setKey', key, baseUrl);
  }
  openDemo(): Promise<void> {
    return this.called('openDemo');
  }
  checkClean(): Promise<void> {
    return this.called('checkClean');
  }
  editCell(cellId: string, line: number): void {
    this.calls.push(['editCell', cellId, line]);
  }
  revealCell(cellId: string): void {
    this.calls.push(['revealCell', cellId]);
  }
  toggleAssertion(cellId: string): void {
    this.calls.push(['toggleAssertion', cellId]);
  }
  setOnlyTagged(only: boolean): void {
    this.calls.push(['setOnlyTagged', only]);
  }
  dispose(): void {
    this.isDisposed = true;
    Signal.clearData(this);
  }

  private async called(...call: Call): Promise<void> {
    this.calls.push(call);
    const { failure } = this;
    this.failure = null;
    if (failure !== null) {
      throw failure;
    }
  }
}
