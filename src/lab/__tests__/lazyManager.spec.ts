/** @jest-environment node */
import { Signal } from '@lumino/signaling';
import type { IRefineManager, RefineView } from '../../tokens';
import { lazyManager } from '../lazyManager';

function fakeManager() {
  const manager = {
    view: { notice: 'real' } as RefineView,
    refine: jest.fn().mockResolvedValue(undefined),
    setPrompt: jest.fn(),
    stop: jest.fn(),
    dispose: jest.fn()
  } as unknown as IRefineManager;
  Object.assign(manager, { viewChanged: new Signal<object, void>(manager) });
  return manager;
}

describe('lazyManager', () => {
  it('loads on first use, once, and hands calls on', async () => {
    const manager = fakeManager();
    const load = jest.fn().mockResolvedValue(manager);
    const lazy = lazyManager(load);
    expect(lazy.view.session).toBeNull();
    expect(load).not.toHaveBeenCalled();
    const start = { path: 'a.ipynb', cellId: 'c' };
    await Promise.all([lazy.refine(start), lazy.refine()]);
    expect(load).toHaveBeenCalledTimes(1);
    expect(manager.refine).toHaveBeenCalledWith(start);
    expect(lazy.view.notice).toBe('real');
  });

  it('disposes what arrives after its own end', async () => {
    const manager = fakeManager();
    const lazy = lazyManager(() => Promise.resolve(manager));
    const loading = lazy.refine();
    lazy.dispose();
    await loading;
    expect(manager.dispose).toHaveBeenCalledTimes(1);
    lazy.stop();
    expect(manager.stop).not.toHaveBeenCalled();
  });

  it('can be asked again when loading failed', async () => {
    const manager = fakeManager();
    const load = jest
      .fn()
      .mockRejectedValueOnce(new Error('chunk'))
      .mockResolvedValueOnce(manager);
    const lazy = lazyManager(load);
    await expect(lazy.refine()).rejects.toThrow('chunk');
    await lazy.refine();
    expect(manager.refine).toHaveBeenCalledTimes(1);
  });
});
