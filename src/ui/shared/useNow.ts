import { useEffect, useState } from 'react';

/** Milliseconds since the epoch, another once a second: only what uses it renders then. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
