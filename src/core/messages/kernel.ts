/** Sentences of the executors in `src/kernel/`. */
import { trans } from './mark';

export const KERNEL = {
  'wait.connection': trans.__('waiting for the connection to the kernel'),
  'wait.breakpoint': trans.__(
    'waiting for the kernel: stopped at a breakpoint'
  ),
  'wait.a-cell': trans.__('waiting for the kernel: a cell is running'),
  'wait.cell': trans.__('waiting for the kernel: cell [%1] is running'),
  'wait.request': trans.__(
    'waiting for the kernel: it handles another request'
  ),
  'kernel.restarted': trans.__(
    'The kernel was restarted, so its variables are gone. Run the cells above again, then refine.'
  ),
  'kernel.died': trans.__(
    'The kernel died, so its variables are gone. Start it again, run the cells above, then refine.'
  ),
  'kernel.no-answer': trans.__('The kernel gave no answer %1 times: %2'),
  'kernel.silent': trans.__(
    'The kernel does not answer: nothing came back within %1 s. Restart it, run the cells above, then try again.'
  ),
  'answer.aborted': trans.__('a cell before it failed'),
  'answer.lost': trans.__('it was interrupted'),
  'kernel.not-running': trans.__(
    'The kernel is not running. Start it, run the cells above, then try again.'
  ),
  'answer.nothing': trans.__('the kernel evaluated nothing'),
  'isolation.use-sidecar': trans.__(
    'Set “isolation” to “sidecar” to run attempts in a second kernel.'
  ),
  'isolation.set-live': trans.__('The setting “isolation” is “live”.'),
  'isolation.set-sidecar': trans.__('The setting “isolation” is “sidecar”.'),
  'isolation.no-fork': trans.__(
    'Attempts cannot be isolated in this kernel: %1 Set “isolation” to “auto”, “sidecar” or “live” to run them otherwise.'
  ),
  'isolation.no-frame': trans.__(
    'Attempts cannot be forked where the debugger has stopped the kernel: %1 Continue, and refine the cell then.'
  ),
  'frame.gone': trans.__(
    'The debugger left the line where this session started. Attempts run only while the kernel is stopped there.'
  ),
  'isolation.no-sidecar': trans.__(
    'Attempts cannot be isolated in this kernel: %1 Set “isolation” to “auto” or “live” to run them otherwise.'
  ),
  'isolation.live-denied': trans.__(
    'Nothing was run: attempts cannot be isolated in this kernel (%1) and running them in the kernel itself was not allowed.'
  ),
  'stop.before-start': trans.__('stopped before it started'),
  'fork.impossible': trans.__('The kernel cannot be forked: %1'),
  'attempt.running': trans.__('The attempt “%1” is running already.'),
  'stop.before-end': trans.__('stopped before it ended'),
  'result.lost': trans.__('The kernel lost the result of the attempt twice.'),
  'stop.timeout-silent': trans.__(
    'timeout: limit %1 s, and the kernel did not report how the attempt ended'
  ),
  'attempt.dropped': trans.__(
    'The kernel dropped the attempt %1 times because a cell before it failed. Wait until the cells have run, then try again.'
  ),
  'attempt.not-started': trans.__(
    'The kernel could not start the attempt: %1: %2'
  ),
  'fork.tried-twice': trans.__('It was tried twice.'),
  'fresh.timeout': trans.__(
    'The run in a fresh kernel took longer than %1 s (sessionTimeout).'
  ),
  'fresh.died': trans.__('The fresh kernel died.'),
  'fresh.not-run': trans.__('it was not run'),
  'kernel-part.cannot-run': trans.__(
    'The kernel cannot run the part that isolates attempts: %1: %2.'
  ),
  'kernel-part.not-started': trans.__('The kernel part did not start: %1: %2'),
  'kernel-part.version': trans.__(
    'The kernel part did not start in version %1. Restart the kernel and try again.'
  ),
  'kernel-part.no-answer': trans.__('The kernel could not answer “%1”: %2'),
  'live.no-interrupt': trans.__(
    'The kernel did not react to %1 interrupts; the attempt may still run there. Restart the kernel if it stays busy.'
  ),
  'live.expression': trans.__(
    'nothing in this cell can fail: the value of an expression is not checked'
  ),
  'live.expression-use': trans.__(
    'nothing in this cell can fail: the value of an expression is not checked; write %1'
  ),
  'live.never-fails': trans.__(
    'nothing is checked here: %1 never fails in this kernel; write %2'
  ),
  'live.no-scorer': trans.__(
    'The scorer was not run: it needs attempts in a fork or a second kernel, and here they run in your kernel itself.'
  ),
  'live.not-hidden': trans.__(
    '%1 is not hidden: attempts run in your kernel itself here.'
  ),
  'live.no-canary': trans.__(
    'How a check fails in %1 is not known, so the kernel was not tested with a check that must fail.'
  ),
  'live.canary-passed': trans.__(
    'The kernel lets “%1” pass, so its checks prove nothing.'
  ),
  'stop.interrupted': trans.__('interrupted from outside'),
  'stop.dropped': trans.__(
    'dropped by the kernel %1 times because a cell before it failed'
  ),
  'stop.timeout': trans.__('timeout: limit %1 s'),
  'isolation.python-only': trans.__(
    'Attempts can be isolated in Python kernels only; this one runs %1.'
  ),
  'kernel-part.failed': trans.__('The kernel could not answer “%1” (%2): %3'),
  'kernel-part.unreadable': trans.__(
    'The kernel’s answer to “%1” cannot be read: %2: %3. Restart the kernel and try again.'
  )
} as const;
