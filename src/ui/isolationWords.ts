/** How far an attempt is kept from kernel and machine, in words. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Isolation } from '../core/execution';

/** `isolated: memory, files, network`, `isolated: memory · not: network`, `not isolated`. */
export function isolationSummary(
  isolation: Isolation,
  trans: TranslationBundle
): string {
  const parts: readonly (readonly [boolean, string])[] = [
    [isolation.memory, trans.__('memory')],
    [isolation.files !== 'open', trans.__('files')],
    [isolation.network, trans.__('network')]
  ];
  const kept = parts.filter(([held]) => held).map(([, name]) => name);
  const open = parts.filter(([held]) => !held).map(([, name]) => name);
  if (kept.length === 0) {
    return trans.__('not isolated');
  }
  return open.length === 0
    ? trans.__('isolated: %1', kept.join(', '))
    : trans.__('isolated: %1; not: %2', kept.join(', '), open.join(', '));
}

/** One sentence for each thing an attempt can reach, then the reasons for what is missing. */
export function isolationSentences(
  isolation: Isolation,
  trans: TranslationBundle
): readonly string[] {
  return [
    memorySentence(isolation, trans),
    filesSentence(isolation, trans),
    isolation.network
      ? trans.__('An attempt cannot reach the network.')
      : trans.__('An attempt can reach the network.'),
    ...isolation.reasons
  ];
}

function memorySentence(isolation: Isolation, trans: TranslationBundle) {
  switch (isolation.mode) {
    case 'fork':
      return trans.__(
        'An attempt runs in a copy of the kernel; your variables stay as they are.'
      );
    case 'sidecar':
      return sidecarSentence(isolation.copies, trans);
    case 'live':
      return trans.__(
        'An attempt runs in your kernel: it can change or delete your variables.'
      );
  }
}

/** Names shown; the others are counted. */
const NAMES = 12;

function sidecarSentence(
  copies: readonly string[] | undefined,
  trans: TranslationBundle
) {
  if (copies === undefined) {
    return trans.__(
      'Attempts run in a second kernel, with copies of the variables they name.'
    );
  }
  if (copies.length === 0) {
    return trans.__(
      'Attempts run in a second kernel; they name none of your variables.'
    );
  }
  const names = copies.slice(0, NAMES).join(', ');
  return copies.length > NAMES
    ? trans.__(
        'Attempts run in a second kernel, with copies of: %1 and %2 more.',
        names,
        copies.length - NAMES
      )
    : trans.__('Attempts run in a second kernel, with copies of: %1.', names);
}

function filesSentence(isolation: Isolation, trans: TranslationBundle) {
  switch (isolation.files) {
    case 'overlay':
      return trans.__('Files it writes vanish with it.');
    case 'denied':
      return trans.__('It cannot write files.');
    case 'open':
      return trans.__(
        'Files it writes or deletes are really written or deleted.'
      );
  }
}
