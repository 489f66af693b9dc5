import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { resultsOf } from '../results.mjs';

test('results say what was reached, what was not, and what was not run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'refine-results-'));
  try {
    const grading = {
      'check / nbclient': 0.31,
      'rows that are wrong': 0,
      'ms a target, 100 in one notebook': 50,
      'ms a target, 1000 in one notebook': 60
    };
    writeFileSync(join(folder, 'grading.json'), JSON.stringify(grading));
    const row = (kind, p50) => ({ kernel: 'small kernel', kind, p50 });
    const kernel = {
      rows: [row('failing cell, IPython', 20), row('failing attempt, warm', 10)]
    };
    writeFileSync(join(folder, 'kernel.json'), JSON.stringify(kernel));
    const lines = resultsOf(folder).replace(/ +/g, ' ').split('\n');
    const find = start => lines.find(line => line.startsWith(`| ${start}`));
    assert.match(find('Notebooks of 5'), /0\.31 \| <= 0\.25 \| \*\*no\*\*/);
    assert.match(find('Rows that are wrong'), /\| 0 \| <= 0 \| yes/);
    assert.match(find('A target of 1,000'), /\| 1\.20 \| \| \|/);
    assert.match(find('Loop, ms an attempt'), /not run \| <= 1 \| \|/);
    assert.match(find('Failing attempt'), /0\.50 \| <= 0\.75 \| yes/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
