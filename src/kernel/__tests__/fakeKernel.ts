/** A kernel connection whose messages a test writes by hand. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

type Content = Readonly<Record<string, unknown>>;

/** One message the code under test sent, and the means to answer it. */
export class Sent {
  constructor(
    private readonly _kernel: FakeKernel,
    readonly channel: 'shell' | 'control',
    readonly content: Content,
    readonly msgId: string,
    readonly type: string
  ) {
    this.done = new Promise((resolve, reject) => {
      this._resolve = resolve;
      this._reject = reject;
    });
    this.done.catch(() => undefined);
  }

  readonly done: Promise<KernelMessage.IMessage>;
  onReply: (message: KernelMessage.IMessage) => void = () => undefined;
  onIOPub: (message: KernelMessage.IMessage) => void = () => undefined;
  isDisposed = false;

  get msg() {
    return { header: { msg_id: this.msgId } };
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this._reject(new Error('Canceled future'));
    }
  }

  /** The request to the kernel part, in either form it travels. */
  get request(): Content {
    if (this.channel === 'control') {
      return this.content;
    }
    const { r } = this.content.user_expressions as { readonly r: string };
    const literal = /(?:\.call|'call', str\))\((".*")\)$/s.exec(r);
    return literal === null
      ? { op: 'install' }
      : JSON.parse(JSON.parse(literal[1]));
  }

  busy(executionCount?: number): this {
    this.iopub('status', { execution_state: 'busy' });
    if (executionCount !== undefined) {
      this.iopub('execute_input', {
        code: '',
        execution_count: executionCount
      });
    }
    return this;
  }

  idle(): this {
    this.iopub('status', { execution_state: 'idle' });
    if (this._reply !== null) {
      this._resolve(this._reply);
    }
    return this;
  }

  iopub(type: string, content: Content): this {
    const message = this._kernel.message('iopub', type, content, this);
    this._kernel.receive(message);
    this.onIOPub(message);
    this._kernel.iopubMessage.emit(message as KernelMessage.IIOPubMessage);
    return this;
  }

  reply(content: Content): this {
    const message = this._kernel.message(this.channel, 'reply', content, this);
    this._reply = message;
    this.onReply(message);
    return this;
  }

  /** Answer with a value of the kernel part. */
  answer(value: unknown): this {
    return this.channel === 'control'
      ? this.reply(value as Content)
      : this.reply({
          status: 'ok',
          user_expressions: {
            r: { status: 'ok', data: { 'application/json': value } }
          }
        });
  }

  raise(ename: string, evalue: string): this {
    return this.reply({
      status: 'ok',
      user_expressions: { r: { status: 'error', ename, evalue } }
    });
  }

  private _reply: KernelMessage.IMessage | null = null;
  private _resolve: (message: KernelMessage.IMessage) => void = () => undefined;
  private _reject: (error: Error) => void = () => undefined;
}

export class FakeKernel {
  readonly id = 'kernel';
  readonly username = 'user';
  readonly clientId = 'client';
  status: Kernel.Status = 'idle';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  isDisposed = false;
  interrupts = 0;
  /** As the kernel echoes it. */
  subshell: unknown = null;
  /** Session id in the kernel's messages. */
  process = 'process 1';
  language = 'python';
  readonly sent: Sent[] = [];
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, Kernel.ConnectionStatus>(
    this
  );
  readonly disposed = new Signal<this, void>(this);
  readonly iopubMessage = new Signal<this, KernelMessage.IIOPubMessage>(this);
  readonly anyMessage = new Signal<this, Kernel.IAnyMessageArgs>(this);

  /** Called with every message sent; the default leaves it unanswered. */
  onSend: (sent: Sent) => void = () => undefined;
  onInterrupt: () => void = () => undefined;

  get connection(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }

  get info() {
    return Promise.resolve({ language_info: { name: this.language } });
  }

  requestExecute(content: Content): Sent {
    return this._send('shell', content, 'execute_request');
  }

  sendControlMessage(message: {
    readonly header: { readonly msg_type: string };
    readonly content: Content;
  }): Sent {
    return this._send('control', message.content, message.header.msg_type);
  }

  async interrupt(): Promise<void> {
    this.interrupts++;
    this.onInterrupt();
  }

  setStatus(status: Kernel.Status): void {
    this.status = status;
    this.statusChanged.emit(status);
  }

  setConnection(status: Kernel.ConnectionStatus): void {
    this.connectionStatus = status;
    this.connectionStatusChanged.emit(status);
  }

  dispose(): void {
    this.isDisposed = true;
    this.disposed.emit();
  }

  /** A request of another client, or of a cell of the user's. */
  foreign(msgId: string): Sent {
    return new Sent(this, 'shell', {}, msgId, 'execute_request');
  }

  /** Requests sent with this op, oldest first. */
  ops(op: string): readonly Sent[] {
    return this.sent.filter(sent => sent.request.op === op);
  }

  receive(msg: KernelMessage.IMessage): void {
    this.anyMessage.emit({ msg, direction: 'recv' });
  }

  message(
    channel: string,
    type: string,
    content: Content,
    parent: Sent
  ): KernelMessage.IMessage {
    return {
      channel,
      header: {
        msg_type: type,
        msg_id: `m${this._count++}`,
        session: this.process
      },
      parent_header: {
        msg_id: parent.msgId,
        msg_type: parent.type,
        subshell_id: this.subshell
      },
      metadata: {},
      content
    } as unknown as KernelMessage.IMessage;
  }

  private _send(channel: 'shell' | 'control', content: Content, type: string) {
    if (this.status === 'dead') {
      throw new Error('Kernel is dead');
    }
    const sent = new Sent(this, channel, content, `s${this._count++}`, type);
    this.sent.push(sent);
    // As over a socket: the answer comes later than the call returns.
    void Promise.resolve().then(() => this.onSend(sent));
    return sent;
  }

  private _count = 0;
}
