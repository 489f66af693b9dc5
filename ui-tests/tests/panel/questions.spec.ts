/** What the panel asks: a person's review, what was denied, effects of a pass, live attempts. */
import * as net from 'net';
import {
  answer,
  type CellInput,
  expect,
  model,
  slowAnswer,
  test,
  testWith
} from '../../refine';
import type { AddressInfo } from 'net';

test.describe('questions', () => {
  const cells: readonly CellInput[] = [
    { id: 'target', source: '# answer: what the service says\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  /** A service of this machine that answers every connection with 42. */
  async function withService(
    use: (port: number, connections: () => number) => Promise<void>
  ): Promise<void> {
    let connections = 0;
    const server = net.createServer(socket => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.end('42');
    });
    await new Promise<void>(resolve =>
      server.listen(0, '127.0.0.1', () => resolve())
    );
    try {
      await use((server.address() as AddressInfo).port, () => connections);
    } finally {
      server.close();
    }
  }

  const reaching = (port: number) =>
    answer(
      `import socket\nwith socket.create_connection(('127.0.0.1', ${port}), timeout=2) as s:\n    answer = int(s.recv(10))`
    );

  testWith({ maxAttempts: 1 })(
    'what was denied can be allowed at its attempt',
    async ({ notebook, page }) => {
      await withService(async (port, connections) => {
        const nb = await notebook(cells, [reaching(port)]);
        await nb.refine(0);
        await nb.expectHeading(/Stopped after 1/);
        expect(connections()).toBe(0);

        // By keyboard; without a question and without another answer of the model.
        await nb.button('allow and try again').focus();
        await page.keyboard.press('Enter');
        await expect(nb.question).toContainText('Passed. Write it to cell 1?');
        expect(connections()).toBe(1);
        expect(await model.requests()).toHaveLength(1);
        await expect(nb.button(/^Attempt 2 .*1 of 1/)).toBeVisible();
        await nb.button('Leave unchanged').click();
        await expect(nb.button('allow and try again')).toHaveCount(0);
      });
    }
  );

  test('a pass that wrote a file asks first, naming the file', async ({
    notebook
  }) => {
    const nb = await notebook(cells, [
      answer(
        "answer = 42\nwith open('answer-kept.txt', 'w') as f:\n    f.write(str(answer))"
      )
    ]);
    await nb.refine(0);
    await expect(nb.question).toContainText('The attempt wrote ');
    await expect(nb.question).toContainText('answer-kept.txt');
    const exists = "__import__('os').path.exists('answer-kept.txt')";
    expect(await nb.evaluate(exists)).toBe('False');
    expect(await nb.source(0)).toBe(cells[0].source);
    await nb.button('Write only').click();
    await expect.poll(() => nb.source(0)).toContain('answer-kept.txt');
    expect(await nb.evaluate(exists)).toBe('False');
    expect(await nb.evaluate("'answer' in globals()")).toBe('False');
  });

  /** Leaves the kernel as polars does once its threads run: a fork of it would hang. */
  const UNFORKABLE = `import ctypes, threading
def pool():
    ctypes.CDLL(None).prctl(15, b'polars-0', 0, 0, 0)
    threading.Event().wait()
threading.Thread(target=pool, daemon=True).start()`;

  test('live attempts are asked for once, and pass when allowed', async ({
    notebook
  }) => {
    // A lock has no copy in another kernel.
    const nb = await notebook(
      [
        { id: 'pool', source: `${UNFORKABLE}\nlock = threading.Lock()` },
        ...cells
      ],
      [
        answer('with lock:\n    answer = 1'),
        answer('with lock:\n    answer = 42')
      ]
    );
    await nb.run(0);
    await expect(nb.cell(0).getByText('[1]:')).toBeVisible();
    await nb.refine(1);
    await expect(nb.question).toContainText('Attempts cannot be isolated here');
    await expect(nb.question).toContainText('polars has started its threads');
    await expect(nb.question).toContainText('lock');
    await expect(nb.question.getByRole('button').first()).toHaveText(
      'Don’t run'
    );
    await nb.button('Run in the live kernel').click();
    await nb.expectText('not isolated');
    await expect(nb.question).toContainText('Passed. Write it to cell 2?');
    await expect(nb.question).toContainText(
      'The attempt ran in the live kernel, not isolated.'
    );
    await nb.button('Write only').click();
    await nb.expectPassed(2);
    expect(await nb.source(1)).toBe(
      `${cells[0].source}with lock:\n    answer = 42`
    );
  });
});

test.describe('asking', () => {
  const cells = [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  testWith({ evaluators: ['assertions', 'human'] })(
    'rejects with a hint, notifies from a hidden panel, approves @full',
    async ({ notebook, page }) => {
      const nb = await notebook(cells, [
        answer('answer = 42'),
        // Long enough to hide the panel meanwhile.
        slowAnswer('answer = 6 * 7', 30, 60)
      ]);
      await nb.refine(0);
      await expect(nb.question).toContainText(
        'Attempt 1 passes its checks. Approve it?'
      );
      await nb.expectText('passed, confirmed:');
      await expect(nb.question.getByRole('textbox')).toBeFocused();
      expect(await nb.source(0)).toBe(cells[0].source);
      await page.keyboard.type('Use a product');
      await page.keyboard.press('Enter');
      await expect(nb.question).toBeHidden();

      await expect(nb.question).toContainText(
        'Attempt 2 passes its checks. Approve it?'
      );
      expect(await model.sent(1)).toContain('Use a product');
      await nb.question.getByRole('textbox').focus();
      await page.keyboard.press('Tab');
      await expect(nb.button('Approve')).toBeFocused();
      await page.keyboard.press('Enter');
      await nb.expectPassed(2);
      expect(await nb.source(0)).toBe(`${cells[0].source}answer = 6 * 7`);
    }
  );

  testWith({ approveExecution: true })(
    'shows the code first; Run runs it, and a denial ends the session @full',
    async ({ notebook }) => {
      const code = 'answer = 40\nanswer += 2';
      const nb = await notebook(cells, [answer(code)]);
      await nb.refine(0);
      await expect(nb.question).toContainText('Run attempt 1?');
      await expect(nb.question).toContainText('answer += 2');
      expect(await nb.source(0)).toBe(cells[0].source);
      await nb.button('Run', true).click();
      await nb.expectPassed(1);
      expect(await nb.source(0)).toBe(`${cells[0].source}${code}`);

      await nb.edit(0, '# answer: the number 41');
      await nb.edit(1, 'assert answer == 41');
      await model.load({ answers: [answer('answer = 41')] });
      await nb.refine();
      await nb.button('Don’t run and stop').click();
      await nb.expectHeading('You rejected the attempt');
    }
  );
});
