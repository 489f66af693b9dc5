/** The known name that a misspelt one most likely means. */
export function nearestName(
  name: string,
  known: readonly string[]
): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    let corner = 0;
    let left = 0;
    row = row.map((above, j) => {
      const changed = corner + (a[i - 1] === b[j - 1] ? 0 : 1);
      left = j === 0 ? i : Math.min(changed, above + 1, left + 1);
      corner = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
