/** What the panel asks: a person's review, what was denied, effects of a pass, live attempts. */
import * as net from 'net';
import {
  answer,
  type CellInput,
  expect,
  model,
  test,
  userSettings
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

  const reaching = (port: number, thought: string) =>
    answer(
      thought,
      `import socket\nwith socket.create_connection(('127.0.0.1', ${port}), timeout=2) as s:\n    answer = int(s.recv(10))`
    );

  test.describe('one attempt', () => {
    test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

    test('what was denied can be allowed at its attempt', async ({
      notebook,
      page
    }) => {
      await withService(async (port, connections) => {
        await model.load({
          answers: [{ text: reaching(port, 'Ask the service.') }]
        });
        const nb = await notebook('allowed-later', cells);
        await nb.open(0);
        await nb.refine();
        const question = nb.panel.getByRole('alertdialog');
        await expect(
          nb.panel.getByRole('heading', { name: /Stopped after 1/ })
        ).toBeVisible();
        expect(connections()).toBe(0);

        // By keyboard; without a question and without another answer of the model.
        await nb.panel
          .getByRole('button', { name: 'allow and try again' })
          .focus();
        await page.keyboard.press('Enter');
        await expect(question).toContainText('Passed. Write it to cell 1?', {
          timeout: 45_000
        });
        expect(connections()).toBe(1);
        expect(await model.requests()).toHaveLength(1);
        await expect(
          nb.panel.getByRole('button', { name: /^Attempt 2 .*1 of 1/ })
        ).toBeVisible();
        await question.getByRole('button', { name: 'Leave unchanged' }).click();
        await expect(
          nb.panel.getByRole('button', { name: 'allow and try again' })
        ).toHaveCount(0);
      });
    });
  });

  test('a pass that wrote a file asks first, naming the file', async ({
    notebook
  }) => {
    await model.load({
      answers: [
        {
          text: answer(
            'Keep it.',
            "answer = 42\nwith open('answer-kept.txt', 'w') as f:\n    f.write(str(answer))"
          )
        }
      ]
    });
    const nb = await notebook('file', cells);
    await nb.open(0);
    await nb.refine();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText('The attempt wrote ', {
      timeout: 45_000
    });
    await expect(question).toContainText('answer-kept.txt');
    const exists = "__import__('os').path.exists('answer-kept.txt')";
    expect(await nb.evaluate(exists)).toBe('False');
    expect(await nb.source(0)).toBe(cells[0].source);
    await question.getByRole('button', { name: 'Write only' }).click();
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
    await model.load({
      answers: [
        { text: answer('Guess.', 'with lock:\n    answer = 1') },
        { text: answer('Count.', 'with lock:\n    answer = 42') }
      ]
    });
    // A lock has no copy in another kernel.
    const nb = await notebook('live', [
      { id: 'pool', source: `${UNFORKABLE}\nlock = threading.Lock()` },
      ...cells
    ]);
    await nb.open();
    await nb.run(0);
    await expect(nb.cell(0).getByText('[1]:')).toBeVisible();
    await nb.select(1);
    await nb.refine();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText('Attempts cannot be isolated here', {
      timeout: 45_000
    });
    await expect(question).toContainText('polars has started its threads');
    await expect(question).toContainText('lock');
    await expect(question.getByRole('button').first()).toHaveText('Don’t run');
    await question
      .getByRole('button', { name: 'Run in the live kernel' })
      .click();
    await expect(nb.panel.getByText('not isolated').first()).toBeVisible();
    await expect(question).toContainText('Passed. Write it to cell 2?', {
      timeout: 45_000
    });
    await expect(question).toContainText(
      'The attempt ran in the live kernel, not isolated.'
    );
    await question.getByRole('button', { name: 'Write only' }).click();
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

  test.describe('a human evaluator', { tag: '@full' }, () => {
    test.use({
      mockSettings: userSettings({ evaluators: ['assertions', 'human'] })
    });

    test('rejects with a hint, notifies from a hidden panel, approves', async ({
      notebook,
      page
    }) => {
      await model.load({
        answers: [
          { text: answer('Say it.', 'answer = 42') },
          // Long enough to hide the panel meanwhile.
          {
            text: answer(
              'Multiply, since a product was asked for. '.repeat(12),
              'answer = 6 * 7'
            ),
            tokensPerSecond: 30
          }
        ]
      });
      const nb = await notebook('review', cells);
      await nb.open(0);
      await nb.refine();
      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText(
        'Attempt 1 passes its checks. Approve it?',
        { timeout: 45_000 }
      );
      await expect(
        nb.panel.getByText('passed, confirmed:').first()
      ).toBeVisible();
      await expect(question.getByRole('textbox')).toBeFocused();
      expect(await nb.source(0)).toBe(cells[0].source);
      await page.keyboard.type('Use a product');
      await page.keyboard.press('Enter');
      await expect(question).toBeHidden();

      await expect(question).toContainText(
        'Attempt 2 passes its checks. Approve it?'
      );
      expect(JSON.stringify((await model.requests())[1].body)).toContain(
        'Use a product'
      );
      await question.getByRole('textbox').focus();
      await page.keyboard.press('Tab');
      await expect(
        question.getByRole('button', { name: 'Approve' })
      ).toBeFocused();
      await page.keyboard.press('Enter');
      await nb.expectPassed(2);
      expect(await nb.source(0)).toBe(`${cells[0].source}answer = 6 * 7`);
    });
  });

  test.describe('approveExecution', { tag: '@full' }, () => {
    test.use({ mockSettings: userSettings({ approveExecution: true }) });

    test('shows the code first; a hint goes on without it, Run runs it', async ({
      notebook,
      page
    }) => {
      const code = 'answer = 40\nanswer += 2';
      await model.load({
        answers: [
          { text: answer('Shout.', 'print("ran"); answer = 42') },
          { text: answer('Add up.', code), match: 'print nothing' }
        ]
      });
      const nb = await notebook('leave', cells);
      await nb.open(0);
      await nb.refine();
      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText('Run attempt 1?', {
        timeout: 45_000
      });
      await expect(question).toContainText('print("ran")');
      await expect(question.getByRole('textbox')).toBeFocused();
      await page.keyboard.type('print nothing');
      await page.keyboard.press('Enter');
      await expect(question).toContainText('Run attempt 2?', {
        timeout: 45_000
      });
      await expect(
        nb.panel.getByText('Not run: you declined it.').first()
      ).toBeVisible();
      expect(await nb.source(0)).toBe(cells[0].source);
      await question
        .getByRole('button', { name: 'Run', exact: true })
        .click({ timeout: 45_000 });
      await nb.expectPassed(2);
      expect(await nb.source(0)).toBe(`${cells[0].source}${code}`);

      await nb.edit(0, '# answer: the number 41');
      await nb.edit(1, 'assert answer == 41');
      await model.load({ answers: [{ text: answer('Less.', 'answer = 41') }] });
      await nb.refine();
      await question
        .getByRole('button', { name: 'Don’t run and stop' })
        .click({ timeout: 45_000 });
      await expect(
        nb.panel.getByRole('heading', { name: 'You rejected the attempt' })
      ).toBeVisible();
    });
  });
});
