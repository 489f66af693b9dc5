/** What one browser tab keeps over a reload: typed prompts and a model chosen for now. */
import type { JournalStorage } from './session/journal';

const PREFIX = 'jupyterlab-refine:';

export class TabStore {
  constructor(private readonly storage: JournalStorage) {}

  /** The text kept under `key`; empty when there is none. */
  get(key: string): string {
    return this.storage.getItem(PREFIX + key) ?? '';
  }

  /** Keep a text; an empty one is forgotten. A full storage keeps nothing new. */
  set(key: string, text: string): void {
    if (text === '') {
      this.storage.removeItem(PREFIX + key);
      return;
    }
    try {
      this.storage.setItem(PREFIX + key, text);
    } catch {
      this.storage.removeItem(PREFIX + key);
    }
  }
}
