/** The user's settings as options of a session. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { settingsSchema, type RefineOptions } from '../../core/settings';
import { limitByPolicy, type PolicyLimits } from '../../notebook/options';
import { PLUGIN_ID } from '../ids';
import type { TabStore } from './tabStore';

/** Key of a model chosen for this tab. */
const MODEL = 'model';

/** Without a registry every setting has its default. */
export class UserSettings {
  /** @param onChange called when {@link options} may be others. */
  constructor(
    private readonly registry: ISettingRegistry | null,
    private readonly tab: TabStore,
    private readonly onChange: () => void,
    /** The limits of the server's policy; null before it has sent them. */
    private readonly limits: () => PolicyLimits | null = () => null
  ) {}

  /** The options now, within the server's limits; a value that does not fit counts as not set. */
  get options(): RefineOptions {
    const composite = this.settings?.composite ?? {};
    const chosenHere = this.tab.get(MODEL);
    const fitting = Object.entries(settingsSchema.shape).filter(
      ([name, schema]) => schema.safeParse(composite[name]).success
    );
    const options = settingsSchema.parse({
      ...Object.fromEntries(fitting.map(([name]) => [name, composite[name]])),
      ...(chosenHere ? { generatorModel: chosenHere } : {})
    });
    const limits = this.limits();
    return limits ? limitByPolicy(options, limits).options : options;
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

  /** Keep the choice of a model for the next time; in this tab only without a registry. */
  async chooseModel(choice: string): Promise<void> {
    if (this.settings) {
      await this.settings.set('generatorModel', choice);
    }
    this.chooseForNow(this.settings ? null : choice);
  }

  /** Use a model in this tab, whatever the settings say; null: what they say. */
  chooseForNow(choice: string | null): void {
    this.tab.set(MODEL, choice ?? '');
    this.onChange();
  }

  private settings: ISettingRegistry.ISettings | null = null;
}
