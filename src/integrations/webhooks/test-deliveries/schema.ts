import Type from 'typebox';

/** What a webhook of the instance is told when somebody tries it out. */
export const ExampleEvent = Type.Object({
  event_name: Type.String(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  owner_name: Type.String(),
  owner_email: Type.String(),
});
