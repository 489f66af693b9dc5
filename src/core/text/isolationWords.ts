/** How far an attempt is kept from kernel and machine, in words; panel and command line say the same. */
import type { Isolation } from '../domain/execution';
import type { Translation } from './english';

/** `isolated: memory, files, network`, `isolated: memory; not: network`, `not isolated`. */
export function isolationSummary(
  isolation: Isolation,
  trans: Translation
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
  if (open.length === 0) {
    return trans.__('isolated: %1', kept.join(', '));
  }
  const [yes, no] = [kept.join(', '), open.join(', ')];
  return trans.__('isolated: %1; not: %2', yes, no);
}

/**
 * One sentence for each thing an attempt can reach, then the reasons for what is missing.
 *
 * @param all - false: not of what is isolated as in a fork that is whole.
 */
export function isolationSentences(
  isolation: Isolation,
  trans: Translation,
  all = true
): readonly string[] {
  const { mode, files, network, reasons } = isolation;
  const memorySaid = {
    fork: trans.__(
      'An attempt runs in a copy of the kernel. Your variables do not change.'
    ),
    sidecar: trans.__(
      'Attempts run in a second kernel, with copies of the variables that they use.'
    ),
    live: trans.__(
      'An attempt runs in your kernel and can change or delete your variables.'
    )
  }[mode];
  const filesSaid = {
    overlay: trans.__('Files that it writes are discarded.'),
    denied: trans.__('It cannot write files.'),
    open: trans.__('Files that it writes or deletes are changed for real.')
  }[files];
  const networkSaid = network
    ? trans.__('An attempt cannot reach the network.')
    : trans.__('An attempt can reach the network.');
  return [
    ...(all || mode !== 'fork' ? [memorySaid] : []),
    ...(all || files === 'open' ? [filesSaid] : []),
    ...(all || !network ? [networkSaid] : []),
    ...reasons
  ];
}

/** Null where hold-outs run in a process of their own. */
export function holdoutSentence(
  { mode }: Isolation,
  trans: Translation
): string | null {
  return mode === 'live'
    ? trans.__(
        'Hold-outs are weaker here: they run in the same process as the attempts, where code can read them.'
      )
    : null;
}
