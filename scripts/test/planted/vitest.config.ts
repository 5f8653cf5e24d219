export default { test: { include: ["*.planted.ts"] } };
