/**
 * Where the TensorFlow binding is. The set-up scripts decide that (they run before anything is compiled), so this file
 * only gives their answer, and the place of the sample text, to the program.
 */
export { findTensorflow, sampleTextPath } from '../../scripts/setup/locations.mjs';
export type { TensorflowLocation } from '../../scripts/setup/locations.mjs';
