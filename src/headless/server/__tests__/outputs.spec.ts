/** @jest-environment node */
import { KernelMessage } from '@jupyterlab/services';
import { OutputCollector } from '../outputs';

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

const data = (text: string) => ({ data: { 'text/plain': text }, metadata: {} });

describe('OutputCollector', () => {
  it('joins what a stream prints in a row', () => {
    expect(
      collected([
        ['stream', { name: 'stdout', text: 'a' }],
        ['stream', { name: 'stdout', text: 'b' }],
        ['stream', { name: 'stderr', text: 'c' }],
        ['status', { execution_state: 'busy' }],
        ['stream', { name: 'stdout', text: 'd' }]
      ])
    ).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'ab' },
      { output_type: 'stream', name: 'stderr', text: 'c' },
      { output_type: 'stream', name: 'stdout', text: 'd' }
    ]);
  });

  it('keeps results, displays and errors in nbformat’s form', () => {
    const error = { ename: 'E', evalue: 'v', traceback: ['t'] };
    expect(
      collected([
        ['display_data', { ...data('d'), transient: {} }],
        ['execute_result', { ...data('r'), execution_count: 3 }],
        ['error', error]
      ])
    ).toEqual([
      { output_type: 'display_data', ...data('d') },
      { output_type: 'execute_result', ...data('r'), execution_count: 3 },
      { output_type: 'error', ...error }
    ]);
  });

  it('updates a display in its place', () => {
    const transient = { display_id: 'id' };
    expect(
      collected([
        ['display_data', { ...data('1'), transient }],
        ['stream', { name: 'stdout', text: 'x' }],
        ['update_display_data', { ...data('2'), transient }],
        [
          'update_display_data',
          { ...data('3'), transient: { display_id: 'other' } }
        ]
      ])
    ).toEqual([
      { output_type: 'display_data', ...data('2') },
      { output_type: 'stream', name: 'stdout', text: 'x' }
    ]);
  });

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
