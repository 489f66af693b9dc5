/** The bodies that providers send with an HTTP error. */

const BY_STATUS: Readonly<
  Record<number, { readonly message: string; readonly code: string | null }>
> = {
  400: { message: 'Invalid request.', code: null },
  401: {
    message:
      'Incorrect API key provided: sk-canary0123456789abcdef. You can find your API key in your account settings.',
    code: 'invalid_api_key'
  },
  403: {
    message: 'Your account is not allowed to use this model.',
    code: 'forbidden'
  },
  404: {
    message:
      'The model `missing-model` does not exist or you do not have access to it.',
    code: 'model_not_found'
  },
  429: {
    message: 'Rate limit reached for requests.',
    code: 'rate_limit_exceeded'
  },
  500: {
    message: 'The server had an error while processing your request.',
    code: null
  },
  502: { message: 'Bad gateway.', code: null },
  503: { message: 'The engine is currently overloaded.', code: null }
};

/** OpenAI's error object for a status, with the wording it is known for. */
export function errorBody(
  status: number,
  message?: string,
  code?: string
): object {
  const known = BY_STATUS[status] ?? { message: 'Error.', code: null };
  return {
    error: {
      message: message ?? known.message,
      type: status >= 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: code ?? known.code
    }
  };
}

/** 400 for a prompt longer than the model's context. */
export function contextLengthBody(limit: number, requested: number): object {
  return {
    error: {
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${requested} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded'
    }
  };
}

/** 400 for a parameter that the model does not take. */
export function rejectedParameterBody(
  name: string,
  style: 'openai' | 'pydantic'
): object {
  if (style === 'pydantic') {
    return {
      object: 'error',
      message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted'}]`,
      type: 'BadRequestError',
      param: null,
      code: 400
    };
  }
  const hint =
    name === 'max_tokens' ? " Use 'max_completion_tokens' instead." : '';
  return {
    error: {
      message: `Unsupported parameter: '${name}' is not supported with this model.${hint}`,
      type: 'invalid_request_error',
      param: name,
      code: 'unsupported_parameter'
    }
  };
}
