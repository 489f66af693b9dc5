/** Where a human comes in: going on with what passes, pause, hints. */
import type { CheckDeps } from './deps';
import type { ILanguageModel } from './model';
import { describeError, type Session } from './session';
import type { Steering } from './steering';

/** Whether to refine a target that passes already. */
export async function askToGoOn(
  session: Session,
  deps: CheckDeps,
  generator: ILanguageModel | null
): Promise<boolean> {
  if (generator === null || !deps.ask) {
    return false;
  }
  let granted = false;
  try {
    granted = await session.waitFor(
      'human',
      'The cell passes as it is.',
      deps.ask('continue', session.scope.signal)
    );
  } catch (error) {
    session.scope.check();
    session.warn(`The question failed: ${describeError(error).message}`);
  }
  session.emit({ type: 'permission', subject: 'continue', granted });
  return granted;
}

/** Pause and hints become events the moment they are given. */
export function followSteering(
  session: Session,
  steering: Steering | undefined
): () => void {
  if (!steering) {
    return () => {};
  }
  const takeHints = () => {
    for (const text of steering.takeHints()) {
      session.emit({ type: 'hint', text });
    }
  };
  takeHints();
  if (steering.paused) {
    session.emit({ type: 'pause', paused: true });
  }
  return steering.onChange(change => {
    if (change.type === 'hint') {
      takeHints();
    } else {
      session.emit({ type: 'pause', paused: change.paused });
    }
  });
}
