/** The user's settings as options of a session. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { RefineOptions } from '../../core/options';
import { settingsSchema } from '../../core/settings';
import { PLUGIN_ID } from '../ids';

/** Without a registry every setting has its default. */
export class UserSettings {
  /** @param onChange called when {@link options} may be others. */
  constructor(
    private readonly registry: ISettingRegistry | null,
    private readonly onChange: () => void
  ) {}

  /** The options now; a value that does not fit counts as not set. */
  get options(): RefineOptions {
    const composite = this.settings?.composite ?? {};
    const fitting = Object.entries(settingsSchema.shape).filter(
      ([name, schema]) => schema.safeParse(composite[name]).success
    );
    return settingsSchema.parse({
      ...Object.fromEntries(fitting.map(([name]) => [name, composite[name]])),
      ...this.chosenHere
    });
  }

  /** Read them; a registry without our schema leaves the defaults. */
  async load(): Promise<void> {
    try {
      this.settings = (await this.registry?.load(PLUGIN_ID)) ?? null;
      this.settings?.changed.connect(this.onChange);
    } catch {
      this.settings = null;
    }
  }

  /** Keep the choice of a model for the next time; for this page only without a registry. */
  async chooseModel(choice: string): Promise<void> {
    if (this.settings) {
      await this.settings.set('generatorModel', choice);
    }
    this.chooseForNow(this.settings ? null : choice);
  }

  /** Use a model on this page, whatever the settings say; null: what they say. */
  chooseForNow(choice: string | null): void {
    this.chosenHere = choice === null ? {} : { generatorModel: choice };
    this.onChange();
  }

  private settings: ISettingRegistry.ISettings | null = null;
  private chosenHere: { readonly generatorModel?: string } = {};
}
