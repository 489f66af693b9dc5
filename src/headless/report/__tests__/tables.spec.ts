import type { NotebookResult, TargetResult } from '../results';
import { csvText, junitText } from '../tables';

const target: TargetResult = {
  cellId: 's',
  index: 1,
  status: 'failed',
  outcome: null,
  model: null,
  assertions: { passed: 1, total: 3 },
  holdouts: { passed: 0, total: 0 },
  confirmed: null,
  accepted: null,
  tests: [],
  reason: { kind: 'wrong-value', message: 'a "quoted", <b>' },
  message: ''
};
const result = (...targets: TargetResult[]): NotebookResult => ({
  path: 'n.ipynb',
  targets,
  problem: null,
  written: null
});
const rows = (text: string) => text.split('\r\n').slice(1, -1);

it('has a row for a target without test cells', () => {
  expect(rows(csvText([result(target)]))).toEqual([
    'n.ipynb,s,,failed,1,3,,,wrong-value,"a ""quoted"", <b>",'
  ]);
});

it('has a row for each test cell, a reason only where it failed', () => {
  const own = { cellId: 'c', total: 2, maxPoints: 4, unconfirmed: null };
  const tests = [
    { ...own, gradeId: 'a', passed: 2 },
    { ...own, gradeId: null, passed: 1 }
  ];
  const found = rows(csvText([result({ ...target, tests })]));
  expect(found[0]).toBe('n.ipynb,s,a,passed,2,2,4,4,,,yes');
  expect(found[1]).toMatch(/^n\.ipynb,s,c,failed,1,2,0,4,wrong-value,/);
});

it('has a row for a notebook that could not be read', () => {
  const problem = { status: 'input' as const, message: 'no such file' };
  const found = rows(csvText([{ ...result(), problem }]));
  expect(found).toEqual(['n.ipynb,,,input,,,,,,no such file,']);
});

it('says of points that nothing has confirmed that they are not', () => {
  const reason = 'its own class decided it';
  const test = {
    cellId: 'c',
    gradeId: 'a',
    passed: 1,
    total: 1,
    maxPoints: 4,
    unconfirmed: reason
  };
  const passed = { ...target, status: 'passed' as const, reason: null };
  expect(rows(csvText([result({ ...passed, tests: [test] })]))).toEqual([
    `n.ipynb,s,a,passed,1,1,4,4,,not confirmed: ${reason},no`
  ]);
  const open = {
    id: 'c:1',
    role: 'holdout',
    line: 1,
    source: '',
    reason
  } as const;
  const confirmed = { n: 0, of: 1, reasons: [open] };
  expect(junitText('check', [result({ ...passed, confirmed })])).toContain(
    `<system-out>not confirmed: ${reason}</system-out>`
  );
});

it('lets no separator of a spreadsheet start a formula', () => {
  const reason = { kind: 'error' as const, message: 'a;=1+1\t+2; b' };
  expect(csvText([result({ ...target, reason })])).toContain("a;'=1+1\t'+2; b");
});

it.each(['=1+1', '+1', '@a', '-x', '\uff1d1'])(
  '%s is a text for a spreadsheet',
  text => {
    const reason = { kind: 'error' as const, message: text };
    expect(csvText([result({ ...target, reason })])).toContain(
      `,'${text},\r\n`
    );
  }
);

it('writes what is no XML in a way that can be read', () => {
  const reason = { kind: 'error' as const, message: 'a\ud800 & "\u0001"' };
  expect(junitText('check', [result({ ...target, reason })])).toContain(
    'message="a\ufffd &amp; &quot;&quot;"'
  );
});
