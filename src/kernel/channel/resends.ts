/** How often, and after what pause, a request is sent again that the kernel has dropped: a cell before it failed. */

export const MAX_RESENDS = 20;

/** Milliseconds before the next one, after so many. */
export function resendPauseMs(resends: number): number {
  return Math.min(10 * 2 ** resends, 500);
}
