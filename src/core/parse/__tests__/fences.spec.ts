import { announcesExample, fenceKind } from '../fences';

const lines = (text: string) => text.trim().split('\n');

describe('the label of a fence', () => {
  it.each([
    ['python', 'python python3 py py3 ipython ipython3 sage PYTHON'],
    ['r', 'r R ir rscript rlang {r} {.r}'],
    ['julia', 'julia jl'],
    ['javascript', 'javascript js node ecmascript'],
    ['typescript', 'typescript ts'],
    ['c++', 'c++ cpp cxx'],
    ['rust', 'rust rs'],
    ['bash', 'bash sh shell'],
    ['haskell', 'haskell']
  ])('is that of %s: %s', (language, labels) => {
    for (const label of labels.split(' ')) {
      expect([label, fenceKind(label, language)]).toEqual([label, 'candidate']);
      expect(fenceKind(label, 'scala')).toBe('other');
    }
  });

  it.each([
    ...['code', 'cell', 'jupyter', 'notebook', 'solution', 'tool_code'].map(
      label => [label, 'unlabelled']
    ),
    ['', 'unlabelled'],
    ['  ', 'unlabelled'],
    ['{}', 'unlabelled'],
    ['.', 'unlabelled'],
    ['title="a.py"', 'unlabelled'],
    ['python title="a.py"', 'candidate'],
    ['python,linenos', 'candidate'],
    ['{python}{numbers}', 'candidate'],
    ['python;linenos', 'candidate'],
    ['python:main.py', 'candidate'],
    ['{.python .numbers}', 'candidate'],
    [' python', 'candidate'],
    ['main.python', 'other'],
    ['python example', 'other'],
    ['example', 'other'],
    ['examples', 'other'],
    ['text python', 'other'],
    ['json', 'json'],
    ['json5', 'other'],
    ['text', 'other']
  ])('%j says %s', (label, expected) => {
    expect(fenceKind(label, 'python')).toBe(expected);
  });
});

describe('the line before a fence', () => {
  it.each(
    lines(`
Example usage:
example use
sample output
Samples  outputs
Example run
Examples inputs
Example calls
Example session
Usage:
The output
Outputs:
It prints:
Example:
Examples :
For example:
for instance,
You can now use it
you could call the function
you may test them
you might run the cell
You can try this
You can check the code
You can verify the class
You can use the method
To test it:
to try this
to run it
to verify it
to check it
How to use f
how to run
how to call
how to test
`)
  )('announces an example: %s', line => {
    expect(announcesExample(line)).toBe(true);
  });

  it.each(
    lines(`
Here is the code:
The output is sorted by name
Usage of memory is low
For example, zero gives one
For instance zero
An example: zero gives one
You can see it
You now can call it
You can use the list
To do it:
to test a
How to think
counterexample use
blueprints
exampleusage
`)
  )('announces none: %s', line => {
    expect(announcesExample(line)).toBe(false);
  });
});
