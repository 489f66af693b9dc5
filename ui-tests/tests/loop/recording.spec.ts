/** Calls that the command line recorded, played in the panel by the profile `demo`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { MODEL_PORT, NOTEBOOK_ROOT, RECORDING_PORT } from '../../ports';
import {
  answer,
  expect,
  model,
  notebookContent,
  RefineNotebook,
  test
} from '../../refine';

const jupyter = path.resolve(__dirname, '../../../.venv/bin/jupyter');
const folder = path.join(NOTEBOOK_ROOT, 'recording');
const cells = [
  { id: 'above', source: 'start = 40' },
  { id: 'target', source: '# answer: two more than start\n' },
  { id: 'checks', source: 'assert answer == start + 2' }
];

let server: ChildProcess | null = null;

/** A JupyterLab that plays `calls.jsonl`. */
async function startServer(): Promise<void> {
  server = spawn(
    jupyter,
    [
      'lab',
      ...(process.getuid?.() === 0 ? ['--allow-root'] : []),
      '--config',
      path.resolve(__dirname, '../../jupyter_server_test_config.py'),
      `--port=${RECORDING_PORT}`,
      `--Refine.recording=${path.join(folder, 'calls.jsonl')}`
    ],
    { stdio: 'ignore', env: { ...process.env, REFINE_TEST_MODEL: '' } }
  );
  const url = `http://localhost:${RECORDING_PORT}/api`;
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false
        ),
      {
        timeout: 60_000
      }
    )
    .toBe(true);
}

test.afterEach(() => {
  server?.kill();
  server = null;
});

test(
  'a recorded run is played in the panel without a model',
  { tag: '@full' },
  async ({ page }) => {
    await model.load({
      answers: [
        { text: answer('Guess.', 'answer = 41') },
        { text: answer('Add two.', 'answer = start + 2') }
      ]
    });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'played.ipynb'),
      JSON.stringify(notebookContent(cells))
    );
    const run = spawnSync(
      jupyter,
      [
        'refine',
        'run',
        'played.ipynb',
        ...['--base-url', `http://127.0.0.1:${MODEL_PORT}/v1`],
        ...['--output', 'out.ipynb', '--record', 'calls.jsonl']
      ],
      { cwd: folder, encoding: 'utf8' }
    );
    expect(run.stdout).toMatch(/^passed .*attempt 2/);
    const calls = await model.requests();
    expect(calls).toHaveLength(2);

    await startServer();
    await page.goto(
      `http://localhost:${RECORDING_PORT}/lab/tree/recording/played.ipynb?reset`
    );
    const nb = new RefineNotebook(page as never, 'recording/played.ipynb');
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.waitForKernel();
    await nb.run(0);
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(2);
    const { panel } = nb;
    await expect(panel.getByText(/recorded/i).first()).toBeVisible();
    await expect(panel).not.toContainText('$');
    await expect.poll(() => nb.source(1)).toContain('answer = start + 2');
    expect(await nb.evaluate('answer')).toBe('42');
    await panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await panel.getByRole('button', { name: 'code', exact: true }).click();
    await expect(panel).toContainText('answer = 41');

    // A prompt that was not recorded is refused, with the line that differs.
    await nb.edit(1, '# answer: three more than start\n');
    await nb.select(1);
    await nb.refine();
    await expect(
      panel.getByRole('heading', { name: 'The model gave no answer' })
    ).toBeVisible({ timeout: 45_000 });
    await expect(
      panel.getByText(/The prompt differs from those in calls\.jsonl/).first()
    ).toContainText('three more than start');
    // Nobody but the command line asked a model.
    expect(await model.requests()).toHaveLength(calls.length);
  }
);
