/** @jest-environment node */
import { Registry } from '../registry';

const registry = () => new Registry('evaluator', ['judge']);

it.each(['', 'No-Print', 'no print', '1st', 'a/b', 'a,b'])(
  'rejects the name %j',
  name => {
    expect(() => registry().add({ name })).toThrow(
      `Invalid evaluator name “${name}”. Use lower-case letters, digits and hyphens, and start with a letter.`
    );
  }
);

it('rejects a built-in name', () => {
  expect(() => registry().add({ name: 'judge' })).toThrow(
    'The evaluator “judge” is built in. Choose another name.'
  );
});

it('rejects a name that was added, until it is removed', () => {
  const added = registry();
  const changed = jest.fn();
  added.changed.connect(changed);
  const first = { name: 'no-print' };
  const disposable = added.add(first);
  expect(() => added.add({ name: 'no-print' })).toThrow(
    'Another extension has added the evaluator “no-print”. Choose another name.'
  );
  expect(added.items.get('no-print')).toBe(first);
  disposable.dispose();
  expect(added.items.size).toBe(0);
  expect(changed).toHaveBeenCalledTimes(2);
});
