/** Message types of our own, for those who need the name and nothing of what sends them. */

/**
 * Type of the requests to the kernel part on the control channel. A front end
 * that shows the kernel's state must not count them (`untracked_message_types`
 * of the page configuration): the kernel says `idle` after each, also while a
 * cell runs.
 */
export const CONTROL_REQUEST = 'refine_request';
