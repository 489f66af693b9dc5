/** @jest-environment node */
import { notebookLimitNames, settingsSchema } from '../../core/settings';
import { limitByPolicy, readCellOptions, resolveOptions } from '../options';

const user = settingsSchema.parse({ maxAttempts: 5, attemptTimeout: 30 });

function resolve(
  metadata: object,
  line: readonly (readonly [string, string])[] = []
) {
  return resolveOptions(user, readCellOptions(metadata, line));
}

describe('options of a cell', () => {
  it('may lower a limit', () => {
    const { options, warnings } = resolve({ maxAttempts: 3 }, [
      ['attempt-timeout', '2.5']
    ]);
    expect(options).toEqual({ ...user, maxAttempts: 3, attemptTimeout: 2.5 });
    expect(warnings).toEqual([]);
  });

  it('may lower every limit, and raise none', () => {
    const limits = {
      maxAttempts: 4,
      attemptTimeout: 20,
      sessionTimeout: 100,
      maxTokens: 1000,
      maxCost: 2,
      patience: 3
    };
    expect(Object.keys(limits)).toEqual([...notebookLimitNames]);
    const strict = settingsSchema.parse(limits);
    const changed = (by: number) =>
      Object.fromEntries(
        Object.entries(limits).map(([name, value]) => [name, value + by])
      );
    const resolved = (metadata: object) =>
      resolveOptions(strict, readCellOptions(metadata, []));
    expect(resolved(changed(-1))).toEqual({
      options: { ...strict, ...changed(-1) },
      warnings: []
    });
    expect(resolved(changed(1)).options).toEqual(strict);
    expect(resolved(changed(1)).warnings).toContain(
      'Option patience = 4 is above your limit of 3. Refine uses the limit.'
    );
  });

  it('reads lists from the line', () => {
    const { options } = resolve({}, [['criteria', 'speed, clarity']]);
    expect(options.criteria).toEqual(['speed', 'clarity']);
  });

  it('prefers the line over the metadata', () => {
    expect(
      resolve({ feedback: 'raw' }, [['feedback', 'diff']]).options.feedback
    ).toBe('diff');
  });

  it.each([
    ['profile', 'x'],
    ['toString', 'x'],
    ['__proto__', 'x'],
    ['max-atempts', 'x'],
    ['generator-model', 'evil/model'],
    ['isolation', 'live'],
    ['allow-network', 'true'],
    ['on-pass', 'insert'],
    ['context-values', 'samples']
  ])('may not choose %s', (name, value) => {
    const { options, warnings } = resolve({}, [[name, value]]);
    expect(options).toEqual(user);
    expect(warnings).toEqual([
      expect.stringContaining(
        `Option ${name} = "${value}" is refused: a notebook may set max-attempts,`
      )
    ]);
  });

  it('does not repeat a key', () => {
    const { warnings } = resolve({ apiKey: 'canary-value-1' }, [
      ['key', 'sk-abcdefghijklmnopqrstuvwxyz']
    ]);
    expect(warnings.join()).not.toMatch(/canary-value|sk-abc/);
    expect(warnings.join()).toContain('apiKey');
  });

  it.each([
    ['max-attempts', 'many', 'expected number'],
    ['max-attempts', '0', '>=1'],
    ['workflow', 'none', 'expected one of']
  ])('refuses %s = %s', (name, value, reason) => {
    const { options, warnings } = resolve({}, [[name, value]]);
    expect(options).toEqual(user);
    expect(warnings[0]).toContain(`Option ${name} = "${value}" is refused:`);
    expect(warnings[0]).toContain(reason);
  });

  it('refuses an option without a value', () => {
    expect(resolve({ maxTokens: null }).warnings).toEqual([
      'Option maxTokens = null is refused: it needs a value.'
    ]);
  });
});

describe('limits of the server', () => {
  const NONE = { maxAttempts: null, maxTokens: null, sessionTimeout: null };
  const asking = settingsSchema.parse({ maxAttempts: 8 });

  it('changes nothing without a limit, or below it', () => {
    expect(limitByPolicy(asking, NONE)).toEqual({ options: asking, notes: [] });
    expect(
      limitByPolicy(asking, { ...NONE, maxAttempts: 8, sessionTimeout: 601 })
    ).toEqual({ options: asking, notes: [] });
  });

  it('lowers each option above its limit, and reports it', () => {
    const { options, notes } = limitByPolicy(asking, {
      maxAttempts: 3,
      maxTokens: 1000,
      sessionTimeout: 60
    });
    expect(options).toEqual({
      ...asking,
      maxAttempts: 3,
      maxTokens: 1000,
      sessionTimeout: 60
    });
    expect(notes).toEqual([
      'Option maxAttempts = 8 is above this server’s limit of 3. Refine uses the limit.',
      'Option sessionTimeout = 600 is above this server’s limit of 60. Refine uses the limit.',
      'Option maxTokens = no limit is above this server’s limit of 1000. Refine uses the limit.'
    ]);
  });

  it('is not raised again by a cell', () => {
    const { options } = limitByPolicy(asking, { ...NONE, maxAttempts: 3 });
    const cell = readCellOptions({ maxAttempts: 7 }, []);
    expect(resolveOptions(options, cell).options.maxAttempts).toBe(3);
  });
});
