/** Cell tags of the contract that the interface reads or writes itself. */

export const ASSERTION_TAG = 'refine-assert';
export const HOLDOUT_TAG = 'refine-holdout';
export const SCORER_TAG = 'refine-scorer';

/** A cell has one of these roles at most. */
const ROLES: readonly string[] = [ASSERTION_TAG, HOLDOUT_TAG, SCORER_TAG];

/** The tags of a cell as strings; anything else in their place counts as none. */
export function tagsOf(tags: unknown): readonly string[] {
  return Array.isArray(tags)
    ? tags.filter((tag): tag is string => typeof tag === 'string')
    : [];
}

export function isAssertionCell(tags: unknown): boolean {
  return tagsOf(tags).includes(ASSERTION_TAG);
}

/** The tags with one of the roles added, in place of another role, or taken away. */
export function toggleRole(tags: unknown, role: string): string[] {
  const rest = tagsOf(tags).filter(tag => !ROLES.includes(tag));
  return tagsOf(tags).includes(role) ? rest : [...rest, role];
}
