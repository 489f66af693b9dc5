/** Several workers at one list, whose results are given out in the order of the list. */

/**
 * Each worker takes the next item until there is none, or `isEnded`.
 *
 * @param onResult - called in the order of `items`, as soon as all before have a result.
 */
export async function inOrder<T, R>(
  items: readonly T[],
  workers: readonly ((item: T) => Promise<R>)[],
  onResult: (result: R) => void,
  isEnded: () => boolean
): Promise<void> {
  const results = new Map<number, R>();
  let next = 0;
  let given = 0;
  const work = async (worker: (item: T) => Promise<R>) => {
    while (next < items.length && !isEnded()) {
      const at = next++;
      results.set(at, await worker(items[at] as T));
      for (; results.has(given); given++) {
        onResult(results.get(given) as R);
        results.delete(given);
      }
    }
  };
  await Promise.all(workers.map(work));
  // After an interruption one between may be missing: the others are not lost.
  [...results.keys()]
    .sort((a, b) => a - b)
    .forEach(at => onResult(results.get(at) as R));
}
