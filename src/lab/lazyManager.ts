/** The manager that is there from the start; what it does is loaded on first use. */
import { Signal, type ISignal } from '@lumino/signaling';
import type { SessionState } from '../core/events/state';
import type {
  AnswerDetail,
  ComparedPair,
  DisputeAnswer,
  IRefineManager,
  RefineStart,
  RefineView,
  RunningSession
} from '../tokens';

const NOTHING_YET: RefineView = {
  target: null,
  models: { status: 'loading' },
  isolation: null,
  session: null,
  question: null,
  accepted: null,
  cleanCheck: null,
  interrupted: false,
  notice: null
};

/**
 * Hands every call to the manager that `load` brings, once. Connecting to
 * `viewChanged` does not load it: {@link ready} does, as does any method.
 */
export class LazyRefineManager implements IRefineManager {
  constructor(private readonly load: () => Promise<IRefineManager>) {}

  get isDisposed(): boolean {
    return this.disposed;
  }

  get view(): RefineView {
    return this.manager?.view ?? NOTHING_YET;
  }

  get viewChanged(): ISignal<IRefineManager, void> {
    return this.changed;
  }

  get sessions(): readonly RunningSession[] {
    return this.manager?.sessions ?? [];
  }

  /** Load the manager, if it is not there yet. */
  ready(): Promise<IRefineManager> {
    this.loading ??= this.load().then(
      manager => this.take(manager),
      reason => {
        this.loading = null;
        throw reason;
      }
    );
    return this.loading;
  }

  dispose(): void {
    if (this.disposed) {
      return;
    }
    this.disposed = true;
    this.manager?.dispose();
    Signal.clearData(this);
  }

  setPrompt(text: string): void {
    void this.ready().then(manager => manager.setPrompt(text));
  }

  async refine(start?: RefineStart): Promise<void> {
    await (await this.ready()).refine(start);
  }

  async generateAssertions(
    start?: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void> {
    await (await this.ready()).generateAssertions(start);
  }

  async check(start?: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    await (await this.ready()).check(start);
  }

  async moreAttempts(count: number): Promise<void> {
    await (await this.ready()).moreAttempts(count);
  }

  async answerDispute(answer: DisputeAnswer): Promise<void> {
    await (await this.ready()).answerDispute(answer);
  }

  addCheck(source: string): void {
    void this.ready().then(manager => manager.addCheck(source));
  }

  stop(): void {
    this.manager?.stop();
  }

  stopSession(session: Pick<RunningSession, 'path' | 'cellId'>): void {
    this.manager?.stopSession(session);
  }

  setPaused(paused: boolean): void {
    this.manager?.setPaused(paused);
  }

  step(): void {
    this.manager?.step();
  }

  hint(text: string): void {
    void this.ready().then(manager => manager.hint(text));
  }

  sessionOf(target: Pick<RefineStart, 'path' | 'cellId'>): SessionState | null {
    return this.manager?.sessionOf(target) ?? null;
  }

  async compare(pair: ComparedPair): Promise<void> {
    await (await this.ready()).compare(pair);
  }

  async followUp(text: string): Promise<void> {
    await (await this.ready()).followUp(text);
  }

  async ask(question: string): Promise<void> {
    await (await this.ready()).ask(question);
  }

  async explainError(
    start: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void> {
    await (await this.ready()).explainError(start);
  }

  async continueFrom(attempt: number, count: number): Promise<void> {
    await (await this.ready()).continueFrom(attempt, count);
  }

  async runEdited(attempt: number, code: string): Promise<void> {
    await (await this.ready()).runEdited(attempt, code);
  }

  async allow(attempt: number): Promise<void> {
    await (await this.ready()).allow(attempt);
  }

  async showHistory(shown: boolean): Promise<void> {
    await (await this.ready()).showHistory(shown);
  }

  async openPast(id: string | null): Promise<void> {
    await (await this.ready()).openPast(id);
  }

  async openEvents(path: string): Promise<void> {
    await (await this.ready()).openEvents(path);
  }

  async savePast(id: string): Promise<void> {
    await (await this.ready()).savePast(id);
  }

  async debug(attempt: number): Promise<void> {
    await (await this.ready()).debug(attempt);
  }

  async accept(attempt: number, run?: boolean): Promise<void> {
    await (await this.ready()).accept(attempt, run);
  }

  async restore(): Promise<void> {
    await (await this.ready()).restore();
  }

  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void {
    this.manager?.answer(questionId, choiceId, detail);
  }

  async editDraft(
    questionId: string,
    line: number,
    source: string
  ): Promise<void> {
    await (await this.ready()).editDraft(questionId, line, source);
  }

  async previewRequest(): ReturnType<IRefineManager['previewRequest']> {
    return (await this.ready()).previewRequest();
  }

  async refreshModels(again = false): Promise<void> {
    await (await this.ready()).refreshModels(again);
  }

  async selectModel(profile: string, model: string): Promise<void> {
    await (await this.ready()).selectModel(profile, model);
  }

  async setKey(key: string, baseUrl: string | null): Promise<void> {
    await (await this.ready()).setKey(key, baseUrl);
  }

  async openDemo(): Promise<void> {
    await (await this.ready()).openDemo();
  }

  async checkClean(): Promise<void> {
    await (await this.ready()).checkClean();
  }

  revealCell(cellId: string): void {
    void this.ready().then(manager => manager.revealCell(cellId));
  }

  editCell(cellId: string, line: number): void {
    void this.ready().then(manager => manager.editCell(cellId, line));
  }

  toggleAssertion(cellId: string): void {
    void this.ready().then(manager => manager.toggleAssertion(cellId));
  }

  setOnlyTagged(only: boolean): void {
    void this.ready().then(manager => manager.setOnlyTagged(only));
  }

  private take(manager: IRefineManager): IRefineManager {
    if (this.disposed) {
      manager.dispose();
      return manager;
    }
    this.manager = manager;
    manager.viewChanged.connect(() => this.changed.emit());
    this.changed.emit();
    return manager;
  }

  private manager: IRefineManager | null = null;
  private loading: Promise<IRefineManager> | null = null;
  private disposed = false;
  private readonly changed = new Signal<this, void>(this);
}
