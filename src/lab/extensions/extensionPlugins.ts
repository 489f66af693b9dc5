/** The plugins that provide the tokens for other extensions. */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { EVALUATOR_NAMES } from '../../core/domain/evaluators';
import { FEEDBACK_NAMES } from '../../core/settings';
import {
  IRefineEvaluators,
  IRefineFeedbackStrategies,
  IRefineModels,
  type IRefineRegistry
} from '../../tokens';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

const NAME = /^[a-z][a-z0-9-]*$/;

/** A registry behind the tokens through which other extensions add evaluators, feedback strategies and models. */
class Registry<
  Item extends { readonly name: string }
> implements IRefineRegistry<Item> {
  /**
   * @param kind - used in errors: `evaluator`.
   * @param builtIn - names that nobody can add.
   */
  constructor(
    private readonly kind: string,
    private readonly builtIn: readonly string[] = []
  ) {}

  get items(): ReadonlyMap<string, Item> {
    return this._items;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  add(item: Item): IDisposable {
    const { name } = item;
    if (!NAME.test(name)) {
      throw new Error(
        `Invalid ${this.kind} name “${name}”. Use lower-case letters, digits and hyphens, and start with a letter.`
      );
    }
    if (this.builtIn.includes(name)) {
      throw new Error(
        `The ${this.kind} “${name}” is built in. Choose another name.`
      );
    }
    if (this._items.has(name)) {
      throw new Error(
        `Another extension has added the ${this.kind} “${name}”. Choose another name.`
      );
    }
    this._items.set(name, item);
    this._changed.emit();
    return new DisposableDelegate(() => {
      this._items.delete(name);
      this._changed.emit();
    });
  }

  private readonly _items = new Map<string, Item>();
  private readonly _changed = new Signal<this, void>(this);
}

export const evaluatorsPlugin: JupyterFrontEndPlugin<IRefineEvaluators> = {
  id: 'jupyterlab-refine:evaluators',
  description: 'Lets other extensions add evaluators.',
  autoStart: true,
  provides: IRefineEvaluators,
  activate: () => new Registry('evaluator', EVALUATOR_NAMES)
};

export const feedbackPlugin: JupyterFrontEndPlugin<IRefineFeedbackStrategies> =
  {
    id: 'jupyterlab-refine:feedback-strategies',
    description: 'Lets other extensions add feedback strategies.',
    autoStart: true,
    provides: IRefineFeedbackStrategies,
    activate: () => new Registry('feedback strategy', FEEDBACK_NAMES)
  };

export const modelsPlugin: JupyterFrontEndPlugin<IRefineModels> = {
  id: 'jupyterlab-refine:models',
  description: 'Lets other extensions add models.',
  autoStart: true,
  provides: IRefineModels,
  activate: () => new Registry('model profile')
};
