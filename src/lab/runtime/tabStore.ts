const PREFIX = 'jupyterlab-refine:';

/** What one browser tab keeps over a reload: typed prompts, a model chosen for now, the last session of each notebook. */
export class TabStore {
  constructor(
    private readonly storage: Pick<
      Storage,
      'getItem' | 'setItem' | 'removeItem'
    >
  ) {}

  /** The text kept under `key`; empty when there is none. */
  get(key: string): string {
    return this.storage.getItem(PREFIX + key) ?? '';
  }

  /** Keep a text; an empty one is forgotten. A full storage keeps none under this key, and returns false. */
  set(key: string, text: string): boolean {
    try {
      if (text !== '') {
        this.storage.setItem(PREFIX + key, text);
        return true;
      }
    } catch {
      // Full.
    }
    this.storage.removeItem(PREFIX + key);
    return text === '';
  }
}
