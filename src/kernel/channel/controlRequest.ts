/** Ask the kernel part over the control channel, which answers while a cell runs. */
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import type { IClock } from '../../core/clock';
import { CONTROL_REQUEST } from './messageTypes';
import { replyTo } from './shellRequest';

/**
 * Send `content` as a {@link CONTROL_REQUEST}; resolves with the reply, or with null where none comes within
 * `timeoutMs`: the handler is gone, the kernel is, or it cannot take messages now.
 */
export async function askOnControl(
  kernel: Kernel.IKernelConnection,
  content: object,
  timeoutMs: number,
  clock: IClock
): Promise<KernelMessage.IControlMessage | null> {
  let future: Kernel.IControlFuture;
  try {
    future = kernel.sendControlMessage(controlMessage(kernel, content), true);
  } catch {
    return null;
  }
  const { reply } = replyTo(future, clock, timeoutMs);
  return reply.finally(() => future.dispose());
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
