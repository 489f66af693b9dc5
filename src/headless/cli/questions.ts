/** Questions to the user at a terminal; elsewhere the safe answer is taken. */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

export interface IQuestions {
  /** False where nobody can be asked: every question is then answered with no. */
  readonly canAsk: boolean;
  /** Rejects with the signal's reason when aborted. */
  yes(question: string, signal: AbortSignal): Promise<boolean>;
  /** A line of text; empty where nobody can be asked. Rejects as `yes` does. */
  text(question: string, signal: AbortSignal): Promise<string>;
}

/** Where nobody is to be asked. */
export const nobody: IQuestions = {
  canAsk: false,
  yes: () => Promise.resolve(false),
  text: () => Promise.resolve('')
};

export function createQuestions(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable & { readonly isTTY?: boolean }
): IQuestions {
  const canAsk = input.isTTY === true && output.isTTY === true;
  const text = async (question: string, signal: AbortSignal) => {
    // What led to the question is on the screen first: events come by microtasks.
    await new Promise(done => setImmediate(done));
    signal.throwIfAborted();
    if (!canAsk) {
      return '';
    }
    const terminal = createInterface({ input, output });
    // While a question is open, readline catches Ctrl-C: it is passed on as a signal.
    terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      return (await terminal.question(`${question} `, { signal })).trim();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      terminal.close();
    }
  };
  return {
    canAsk,
    text,
    yes: async (question, signal) =>
      /^y(es)?$/i.test(await text(`${question} [y/N]`, signal))
  };
}
