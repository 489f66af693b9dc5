/** Works on all items, some at once, each taken as soon as a worker is free. */
export async function inParallel(items, workers, work) {
  const left = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = left.shift(); item; item = left.shift()) {
        await work(item);
      }
    })
  );
}
