import { useCallback, useSyncExternalStore } from 'react';
import type { IRefineManager, RefineView } from '../../tokens';

/** The manager's view, which is another one at most once per animation frame. */
export function useRefineView(manager: IRefineManager): RefineView {
  const subscribe = useCallback(
    (onChange: () => void) => {
      manager.viewChanged.connect(onChange);
      return () => void manager.viewChanged.disconnect(onChange);
    },
    [manager]
  );
  return useSyncExternalStore(subscribe, () => manager.view);
}
