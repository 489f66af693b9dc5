/** A registry behind the tokens through which other extensions add evaluators, feedback strategies and models. */
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import type { IRefineRegistry } from '../../tokens';

const NAME = /^[a-z][a-z0-9-]*$/;

export class Registry<
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
