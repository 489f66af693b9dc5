/** Outputs of a cell run, as nbformat stores them. */
import { KernelMessage } from '@jupyterlab/services';

/** One output in nbformat 4's form. */
export type CellOutput = Readonly<Record<string, unknown>> & {
  readonly output_type: string;
};

/** Folds a run's IOPub messages: streams joined, displays updated, `clear_output` obeyed. */
export class OutputCollector {
  get outputs(): readonly CellOutput[] {
    return this._outputs;
  }

  add(message: KernelMessage.IIOPubMessage): void {
    if (KernelMessage.isStreamMsg(message)) {
      this._addStream(message.content.name, message.content.text);
    } else if (KernelMessage.isDisplayDataMsg(message)) {
      const { data, metadata, transient } = message.content;
      this._push(
        { output_type: 'display_data', data, metadata },
        transient?.display_id
      );
    } else if (KernelMessage.isUpdateDisplayDataMsg(message)) {
      const { data, metadata, transient } = message.content;
      this._update(transient.display_id, { data, metadata });
    } else if (KernelMessage.isExecuteResultMsg(message)) {
      const { data, metadata, execution_count } = message.content;
      this._push({
        output_type: 'execute_result',
        data,
        metadata,
        execution_count
      });
    } else if (KernelMessage.isErrorMsg(message)) {
      const { ename, evalue, traceback } = message.content;
      this._push({ output_type: 'error', ename, evalue, traceback });
    } else if (KernelMessage.isClearOutputMsg(message)) {
      this._clearBeforeNext = message.content.wait;
      if (!message.content.wait) {
        this._clear();
      }
    }
  }

  private _addStream(name: string, text: string): void {
    const last = this._outputs[this._outputs.length - 1];
    if (
      !this._clearBeforeNext &&
      last?.output_type === 'stream' &&
      last['name'] === name
    ) {
      const joined = `${String(last['text'])}${text}`;
      this._outputs.splice(-1, 1, { ...last, text: joined });
    } else {
      this._push({ output_type: 'stream', name, text });
    }
  }

  private _push(output: CellOutput, displayId?: string): void {
    if (this._clearBeforeNext) {
      this._clear();
    }
    if (displayId !== undefined) {
      this._displays.set(displayId, this._outputs.length);
    }
    this._outputs.push(output);
  }

  private _update(displayId: string | undefined, fields: object): void {
    const index =
      displayId === undefined ? -1 : (this._displays.get(displayId) ?? -1);
    const output = this._outputs[index];
    if (output) {
      this._outputs[index] = { ...output, ...fields };
    }
  }

  private _clear(): void {
    this._clearBeforeNext = false;
    this._outputs.length = 0;
    this._displays.clear();
  }

  private readonly _outputs: CellOutput[] = [];
  private readonly _displays = new Map<string, number>();
  private _clearBeforeNext = false;
}
