/** Sentences about model calls, made in `src/models/`. */
import { trans } from './mark';

export const MODELS = {
  'server.unreachable': trans.__('Cannot reach the Jupyter server: %1.'),
  'server.login': trans.__(
    "The Jupyter server answered with %1 instead of the model's answer (status 200). The login has probably expired: reload the page and sign in again."
  ),
  'answer.filtered': trans.__(
    'The content filter of %1 stopped the answer of model %2 (finish reason %3). Change the prompt, or choose another model.'
  ),
  'answer.refused': trans.__(
    'Model %1 at %2 refused to answer. Change the prompt, or choose another model.'
  ),
  'model.says': trans.__('It says: "%1"'),
  'model.who': trans.__('Model: %1 at %2.'),
  'model.silent': trans.__(
    'The Jupyter server sent nothing for %1 while it called model %2 at %3. The call was ended. Try again; its log may have the reason.'
  ),
  'model.cut': trans.__(
    'The answer of model %1 at %2 broke off after %3 characters.'
  ),
  'server.no-routes': trans.__(
    'The Jupyter server does not know the routes of jupyterlab-refine (404): it was started before the extension was installed. Restart the Jupyter server.'
  ),
  'server.refused': trans.__(
    'The Jupyter server refused the request (%1). Reload the page and sign in again.'
  ),
  'server.failed': trans.__(
    'The Jupyter server, or a proxy in front of it, failed (%1). Its log has the reason.'
  ),
  'way-out.key': trans.__(
    'Enter a valid key in the panel, or set it where the Jupyter server is started.'
  ),
  'way-out.model': trans.__('Choose another model.'),
  'way-out.later': trans.__('Try again later, or choose another model.'),
  'way-out.again-or-model': trans.__('Try again, or choose another model.'),
  'way-out.again': trans.__('Try again.'),
  'way-out.server': trans.__(
    'Check that it still runs and that this machine is online.'
  ),
  'way-out.context': trans.__('Choose a model with a larger context.'),
  'model.no-max-tokens': trans.__(
    'Model %1 at %2 does not take max_tokens: sent again as max_completion_tokens.'
  ),
  'model.no-parameter': trans.__(
    'Model %1 at %2 does not take %3: sent again without it.'
  ),
  'model.retried': trans.__('It was tried %1 times within %2.'),
  'prompt.cut': trans.__(
    'Model %1 read %2 tokens of a prompt of about %3: its context may be too small and the prompt cut. Raise the context length of the server (Ollama: OLLAMA_CONTEXT_LENGTH), or lower the setting contextBudget.'
  ),
  'server.other-version': trans.__(
    'The Jupyter server sent its model profiles in an unknown form: its extension and the page are of different versions. Restart the server and reload the page.'
  ),
  'found.web-page': trans.__('a web page'),
  'found.unexplained': trans.__('an error that it does not explain'),
  'call.stopped': trans.__('The model call was stopped.'),
  'connection.refused': trans.__('the connection was refused'),
  'connection.no-host': trans.__('no such host'),
  'connection.no-look-up': trans.__('the host name cannot be looked up'),
  'connection.no-route': trans.__('there is no route to it'),
  'connection.no-network': trans.__('there is no network'),
  'connection.no-answer': trans.__('it does not answer'),
  'connection.closed': trans.__('the connection was closed without an answer'),
  'connection.failed': trans.__('the connection failed')
} as const;
