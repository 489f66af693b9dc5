/** @jest-environment node */
import { KernelMessage } from '@jupyterlab/services';
import { OutputCollector } from '../liveKernel';

function collected(messages: readonly (readonly [string, object])[]) {
  const collector = new OutputCollector();
  for (const [msgType, content] of messages) {
    collector.add(
      KernelMessage.createMessage({
        channel: 'iopub',
        msgType: msgType as 'stream',
        session: 's',
        content: content as KernelMessage.IStreamMsg['content']
      })
    );
  }
  return collector.outputs;
}

describe('OutputCollector', () => {
  it('clears at once, or before the next output', () => {
    const text = (t: string) =>
      ['stream', { name: 'stdout', text: t }] as const;
    expect(collected([text('a'), ['clear_output', { wait: false }]])).toEqual(
      []
    );
    expect(
      collected([text('a'), ['clear_output', { wait: true }]])
    ).toHaveLength(1);
    expect(
      collected([text('a'), ['clear_output', { wait: true }], text('b')])
    ).toEqual([{ output_type: 'stream', name: 'stdout', text: 'b' }]);
  });
});
