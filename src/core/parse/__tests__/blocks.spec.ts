import { fenceKind } from '../blocks';

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
});
