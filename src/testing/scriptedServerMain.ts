/**
 * The scripted server as a process:
 * `node scripted-server.mjs [--port N] [--script FILE.json]`.
 * Prints its URL (without `/v1`) as the first line and runs until a signal.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ScriptedServer, type ScriptInput } from './scriptedServer';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      script: { type: 'string' }
    }
  });
  const script = values.script
    ? (JSON.parse(readFileSync(values.script, 'utf8')) as ScriptInput)
    : {};
  const server = await ScriptedServer.start(script, Number(values.port));
  process.stdout.write(`${server.url}\n`);
  const stop = () => void server.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n`
  );
  process.exitCode = 2;
});
