/** Questions to the user at a terminal; elsewhere the safe answer is taken. */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

export interface IQuestions {
  /** False where nobody can be asked: every question is then answered with no. */
  readonly canAsk: boolean;
  /** Rejects with the signal's reason when aborted. */
  yes(question: string, signal: AbortSignal): Promise<boolean>;
}

export function createQuestions(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable & { readonly isTTY?: boolean }
): IQuestions {
  const canAsk = input.isTTY === true && output.isTTY === true;
  return {
    canAsk,
    yes: async (question, signal) => {
      signal.throwIfAborted();
      if (!canAsk) {
        return false;
      }
      const terminal = createInterface({ input, output });
      // While a question stands, readline takes Ctrl-C: it is passed on as the signal it would be.
      terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      try {
        const answer = await terminal.question(`${question} [y/N] `, {
          signal
        });
        return /^y(es)?$/i.test(answer.trim());
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        terminal.close();
      }
    }
  };
}
