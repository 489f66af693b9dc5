/** The file of `--events`: every event as it happens, one JSON object a line. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { RefineError } from '../../core/errors';
import type { RefineEvent } from '../../core/events/events';
import { stringifyEvent } from '../../core/events/journal';
import { fileProblem } from './wholeFile';

export interface IEventSink {
  write(event: RefineEvent): void;
  close(): void;
}

/** A sink for no file. */
export const noEvents: IEventSink = {
  write: () => undefined,
  close: () => undefined
};

/**
 * Empties the file. An event is on its way to the disk when `write` returns.
 *
 * @throws RefineError kind `input` when the file cannot be written.
 */
export function openEventFile(path: string): IEventSink {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'w');
  } catch (cause) {
    throw new RefineError(
      'input',
      `--events ${path} cannot be written: ${fileProblem(cause)}`,
      { cause }
    );
  }
  return {
    write: event => {
      writeSync(descriptor, stringifyEvent(event));
    },
    close: () => closeSync(descriptor)
  };
}
