/** The flags of `bench`, but for those of the settings. */
import type { Flag } from './flag';

export const benchFlags: readonly Flag[] = [
  {
    flag: 'recorded',
    value: 'ANSWERS',
    description:
      'Judge the answers of this JSONL file; no model is called. A line has task_id and attempts, solution or completion.'
  },
  {
    flag: 'references',
    value: '',
    description:
      'Judge the reference solutions in the file of tasks; no model is called. Exit status 1 if one does not pass.'
  },
  {
    flag: 'profile',
    value: 'NAME',
    description: 'Model profile of the Jupyter server.'
  },
  {
    flag: 'base-url',
    value: 'URL',
    description:
      'URL of an OpenAI-compatible server, used instead of all profiles. Same as OPENAI_BASE_URL.'
  },
  {
    flag: 'model',
    value: 'NAME',
    description: 'Model of the profile, or of the server at --base-url.'
  },
  {
    flag: 'workers',
    value: 'N',
    description: 'Number of tasks at the same time. Default: 1.'
  },
  {
    flag: 'sweep',
    value: 'SETTING=A,B',
    description:
      'Repeat all tasks with each of these values of one setting, such as feedback=raw,diff, and compare them with the first.'
  },
  {
    flag: 'compare',
    value: '',
    description:
      'Compare two reports instead of running tasks: jupyter refine bench --compare A.json B.json.'
  },
  {
    flag: 'output-dir',
    value: 'FOLDER',
    description:
      'Write report.json, report.md and report.html to this folder, created if needed.'
  },
  {
    flag: 'resume',
    value: 'FILE',
    description:
      'Keep the results of finished tasks in this file, and run only those that are missing from it or have changed.'
  },
  {
    flag: 'events',
    value: 'FILE',
    description:
      'Write every event to this file as it happens, one JSON object per line.'
  },
  {
    flag: 'kernel',
    value: 'NAME',
    description: 'Kernel whose Python runs the tasks. Default: python3.'
  },
  {
    flag: 'server',
    value: 'URL',
    description:
      'Take the model profiles from this running Jupyter server. Default: those configured here.'
  },
  {
    flag: 'token',
    value: 'TOKEN',
    description: 'Token of the server at --server. Default: JUPYTER_TOKEN.'
  },
  {
    flag: 'quiet',
    value: '',
    description: 'Print results and errors only.'
  },
  {
    flag: 'json',
    value: '',
    description: 'Print the report as JSON. Default: Markdown.'
  },
  { flag: 'help', value: '', description: 'Print this text.' },
  { flag: 'version', value: '', description: 'Print the version.' }
];
