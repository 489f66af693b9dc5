import { useCallback, useSyncExternalStore } from 'react';
import type { IRefineManager, RefineView } from '../../tokens';

/**
 * The manager's view, at most once per animation frame: a model may send
 * hundreds of events a second, and only what is painted needs rendering.
 */
export function useRefineView(manager: IRefineManager): RefineView {
  const subscribe = useCallback(
    (onChange: () => void) => {
      let frame = 0;
      const schedule = () => {
        if (frame === 0) {
          frame = requestAnimationFrame(() => {
            frame = 0;
            onChange();
          });
        }
      };
      manager.viewChanged.connect(schedule);
      return () => {
        manager.viewChanged.disconnect(schedule);
        cancelAnimationFrame(frame);
      };
    },
    [manager]
  );
  return useSyncExternalStore(subscribe, () => manager.view);
}
