/** Cell tags of the contract that the interface reads or writes itself. */

export const ASSERTION_TAG = 'refine-assert';

/** The tags of a cell as strings; anything else in their place counts as none. */
export function tagsOf(tags: unknown): readonly string[] {
  return Array.isArray(tags)
    ? tags.filter((tag): tag is string => typeof tag === 'string')
    : [];
}

export function isAssertionCell(tags: unknown): boolean {
  return tagsOf(tags).includes(ASSERTION_TAG);
}

/** The tags with the assertion tag added, or taken away. */
export function toggleAssertionTag(tags: unknown): string[] {
  return isAssertionCell(tags)
    ? tagsOf(tags).filter(tag => tag !== ASSERTION_TAG)
    : [...tagsOf(tags), ASSERTION_TAG];
}
