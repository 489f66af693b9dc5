import { answer, expect, model, test } from '../../refine';

test('nothing a model or a kernel prints runs, links or loads', async ({
  notebook,
  page
}) => {
  const html =
    '<img src="https://evil.example/x.png" onerror="window.__evil = 1"><script>window.__evil = 2</script><a data-commandlinker-command="filebrowser:open-browser-tab" href="javascript:window.__evil=3">click</a>';
  const outside: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith('http://localhost')) {
      outside.push(request.url());
    }
  });
  await model.load({
    answers: [
      {
        text: answer(
          html,
          `from IPython.display import HTML, display\nprint(${JSON.stringify(html)})\ndisplay(HTML(${JSON.stringify(html)}))\nraise ValueError(${JSON.stringify(html)})`
        )
      },
      { text: answer('Plain.', 'answer = 42') }
    ]
  });
  const nb = await notebook('safety', [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.select(0);
  await nb.refine();
  await nb.expectPassed(2);
  await nb.panel.getByRole('button', { name: /^Attempt 1/ }).click();
  await nb.more();
  for (const part of ['thoughts', 'output', 'traceback', 'prompt']) {
    await nb.panel
      .getByRole('button', { name: part, exact: true })
      .last()
      .click();
  }
  await expect(nb.panel.getByText('evil.example').first()).toBeVisible();
  expect(await nb.panel.locator('img, script, iframe, object').count()).toBe(0);
  expect(await nb.panel.locator('[data-commandlinker-command]').count()).toBe(
    0
  );
  expect(await page.evaluate(() => '__evil' in window)).toBe(false);
  expect(outside.filter(url => url.includes('evil'))).toEqual([]);
});

test('no candidate, page or notebook can see the key', async ({
  notebook,
  page
}) => {
  const canary = 'canary-9f8e7d6c5b4a';
  const seen: string[] = [];
  page.on('response', async response => {
    if (/jupyterlab-refine|api/.test(response.url())) {
      seen.push(await response.text().catch(() => ''));
    }
  });
  page.on('console', message => seen.push(message.text()));
  await model.load({
    answers: [
      {
        text: answer(
          'Look.',
          'import os\nfor name, value in os.environ.items():\n    print(name, value)\nanswer = 1'
        )
      },
      { text: answer('Good.', 'answer = 42') }
    ]
  });
  const nb = await notebook('canary', [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.select(0);
  await nb.refine();
  await nb.expectPassed(2);
  await page.keyboard.press('Control+s');
  const saved = await page.request.get(
    `http://localhost:${new URL(page.url()).port}/api/contents/${nb.path}?content=1`
  );
  seen.push(await saved.text(), await page.content());
  seen.push(await page.evaluate(() => JSON.stringify({ ...sessionStorage })));
  // The provider did get it: the canary is the real key.
  const [request] = await model.requests();
  expect(JSON.stringify(request.headers)).toContain(canary);
  expect(seen.join('\n')).not.toContain(canary);
  expect(
    JSON.stringify((await model.requests()).map(r => r.body))
  ).not.toContain(canary);
});
