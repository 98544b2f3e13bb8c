import Type from 'typebox';

/** Example payload of a system hook test. */
export const ExampleEvent = Type.Object({
  event_name: Type.String(),
  name: Type.String(),
  path: Type.String(),
  project_id: Type.Integer(),
  owner_name: Type.String(),
  owner_email: Type.String(),
});
