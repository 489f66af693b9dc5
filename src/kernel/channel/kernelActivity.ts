/** Knows which request the kernel's main shell is working on, from what every client receives. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import type { IClock } from '../../core/clock';
import { CONTROL_REQUEST } from './messageTypes';

/** The N of `In [N]`; null for silent requests, and when it started before we listened. */
type ExecutionCount = number | null;

/** Requests on the control channel run beside the main shell. */
const ASIDE: ReadonlySet<string> = new Set([
  CONTROL_REQUEST,
  'create_subshell_request',
  'debug_request',
  'delete_subshell_request',
  'interrupt_request',
  'kernel_info_request',
  'list_subshell_request',
  'shutdown_request',
  'usage_request'
]);

/** Stands for what started before we listened. */
const UNKNOWN = '';

/**
 * Follows the kernel's busy and idle messages. One per kernel connection and
 * executor; the longer it lives, the more often it can name the running cell.
 */
export class KernelActivity implements IDisposable {
  constructor(
    kernel: Kernel.IKernelConnection,
    /** For those who wait for a change. */
    readonly clock: IClock,
    /** Requests are evaluated in the frame where the debugger has stopped the kernel: it is free as long as it stands there. */
    private readonly _inFrame = false
  ) {
    this._kernel = kernel;
    this._stopped = _inFrame;
    if (kernel.status === 'busy') {
      this._executing = { msgId: UNKNOWN, count: null };
    }
    kernel.anyMessage.connect(this._onMessage, this);
    kernel.statusChanged.connect(this._onStatus, this);
    kernel.connectionStatusChanged.connect(this._onConnection, this);
  }

  /** The running request changed, or the debugger stopped it or let it continue. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** True while the kernel works on the request with this id. */
  isRunning(msgId: string): boolean {
    return this._executing?.msgId === msgId;
  }

  /** Why a request sent now has to wait; null when the kernel's main shell is free. */
  get busyReason(): string | null {
    if (
      this._kernel.connectionStatus !== 'connected' ||
      this._kernel.status === 'unknown'
    ) {
      return 'waiting for the connection to the kernel';
    }
    if (this._stopped) {
      return this._inFrame
        ? null
        : 'waiting for the kernel: stopped at a breakpoint';
    }
    if (this._executing !== null) {
      return this._executing.count === null
        ? 'waiting for the kernel: a cell is running'
        : `waiting for the kernel: cell [${this._executing.count}] is running`;
    }
    return this._handling.size > 0
      ? 'waiting for the kernel: it handles another request'
      : null;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._kernel.anyMessage.disconnect(this._onMessage, this);
    this._kernel.statusChanged.disconnect(this._onStatus, this);
    this._kernel.connectionStatusChanged.disconnect(this._onConnection, this);
    Signal.clearData(this);
  }

  private _onMessage(_: unknown, { msg, direction }: Kernel.IAnyMessageArgs) {
    if (direction !== 'recv' || msg.channel !== 'iopub') {
      return;
    }
    const type: string = msg.header.msg_type;
    if (type === 'debug_event') {
      this._onDebugEvent((msg.content as { readonly event?: string }).event);
      return;
    }
    const parent = msg.parent_header as Partial<
      KernelMessage.IHeader & { readonly subshell_id: unknown }
    >;
    const parentType: string = parent.msg_type ?? '';
    // Some kernels echo a null as an empty object.
    const aside = typeof parent.subshell_id === 'string';
    if (ASIDE.has(parentType) || aside) {
      return;
    }
    const msgId = parent.msg_id ?? UNKNOWN;
    if (type === 'execute_input') {
      const content = (msg as KernelMessage.IExecuteInputMsg).content;
      this._executing = { msgId, count: content.execution_count };
      this._changed.emit();
    } else if (type === 'status') {
      const state = (msg as KernelMessage.IStatusMsg).content.execution_state;
      this._onState(msgId, parentType === 'execute_request', state);
    }
  }

  private _onState(msgId: string, executes: boolean, state: Kernel.Status) {
    if (state === 'busy' && executes) {
      this._executing = { msgId, count: null };
    } else if (state === 'busy') {
      this._handling.add(msgId);
    } else if (state === 'idle' && executes) {
      this._executing = null;
      this._stopped = false;
    } else if (state === 'idle') {
      this._handling.delete(msgId);
    }
    this._changed.emit();
  }

  private _onDebugEvent(event: string | undefined) {
    const stopped =
      event === 'stopped'
        ? true
        : event === 'continued' || event === 'terminated'
          ? false
          : this._stopped;
    if (stopped !== this._stopped) {
      this._stopped = stopped;
      this._changed.emit();
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status) {
    if (status !== 'busy' && status !== 'idle' && status !== 'unknown') {
      this._forget();
    }
    this._changed.emit();
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus) {
    if (status !== 'connected') {
      // What ended meanwhile is not reported again.
      this._forget();
    }
    this._changed.emit();
  }

  private _forget() {
    this._stopped = false;
    this._executing = null;
    this._handling.clear();
  }

  private readonly _kernel: Kernel.IKernelConnection;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _handling = new Set<string>();
  private _executing: {
    readonly msgId: string;
    readonly count: ExecutionCount;
  } | null = null;
  private _stopped: boolean;
  private _isDisposed = false;
}
