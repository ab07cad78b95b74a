/** The build brings a style sheet of the chat box as its text. */
declare module "*.css" {
  const text: string;
  export default text;
}
