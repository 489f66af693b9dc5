/** Ask the kernel part over the control channel, which answers while a cell runs. */
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import { after, type IClock } from '../../core/clock';
import { CONTROL_REQUEST } from './messageTypes';

export type ControlAnswer =
  | { readonly status: 'ok'; readonly value: unknown }
  /** No answer: the handler is gone, the kernel is, or it cannot take messages now. */
  | { readonly status: 'none' };

const REPLY_AFTER_IDLE_MS = 1000;

/**
 * Send `content` as a {@link CONTROL_REQUEST}; resolves with the content of the reply,
 * or with `none` after `timeoutMs`, or when the kernel does not know the type.
 */
export function askOnControl(
  kernel: Kernel.IKernelConnection,
  content: object,
  timeoutMs: number,
  clock: IClock
): Promise<ControlAnswer> {
  let future: Kernel.IControlFuture;
  try {
    future = kernel.sendControlMessage(controlMessage(kernel, content), true);
  } catch {
    return Promise.resolve({ status: 'none' });
  }
  return new Promise(resolve => {
    const endAfter = (ms: number) =>
      after(clock, ms, () => end({ status: 'none' }));
    let cancel = endAfter(timeoutMs);
    const end = (answer: ControlAnswer) => {
      cancel();
      future.dispose();
      resolve(answer);
    };
    future.onReply = reply => end({ status: 'ok', value: reply.content });
    future.onIOPub = message => {
      const state = (message.content as { readonly execution_state?: string })
        .execution_state;
      if (message.header.msg_type === 'status' && state === 'idle') {
        // An unknown type is logged by the kernel and gets no reply.
        cancel();
        cancel = endAfter(REPLY_AFTER_IDLE_MS);
      }
    };
    future.done.catch(() => end({ status: 'none' }));
  });
}

/** JupyterLab's types list the known control messages; its code sends any. */
function controlMessage(
  kernel: Kernel.IKernelConnection,
  content: object
): KernelMessage.IControlMessage<KernelMessage.ControlMessageType> {
  const message = KernelMessage.createMessage<KernelMessage.IDebugRequestMsg>({
    msgType: 'debug_request',
    channel: 'control',
    username: kernel.username,
    session: kernel.clientId,
    content: content as KernelMessage.IDebugRequestMsg['content']
  });
  return {
    ...message,
    header: {
      ...message.header,
      msg_type: CONTROL_REQUEST as KernelMessage.ControlMessageType
    }
  };
}
