/** How a model is asked for an answer of a schema: the parameters of the request. */
import type { ModelRequest } from '../../core/domain/model';

export type AnswerSchema = NonNullable<ModelRequest['schema']>;

/** What a provider may refuse of it. */
export const FORM_PARAMETERS = ['response_format'] as const;

type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of the body of a chat completion that asks for a form. */
export type FormParameters = {
  readonly response_format?:
    | { readonly type: 'json_object' }
    | {
        readonly type: 'json_schema';
        readonly json_schema: {
          readonly name: string;
          readonly schema: JsonSchema;
        };
      };
};

export function formParameters(asked: AnswerSchema): FormParameters {
  const { name } = asked;
  const schema = asked.schema as JsonSchema;
  switch (asked.mode) {
    case 'json-object':
      return { response_format: { type: 'json_object' } };
    case 'json-schema':
    case undefined:
      return {
        response_format: { type: 'json_schema', json_schema: { name, schema } }
      };
  }
}
