/* The player of ictus for C. Generated from crates/ictus-capi/src; do not edit.
 *
 * 1. ictus_patch_from_text reads, checks and compiles an instrument file.
 * 2. ictus_player_new makes a player of it; any number of players share a patch.
 * 3. ictus_player_process takes events and audio-rate inputs and fills blocks of any length. The same events give the same samples.
 * 4. ictus_player_meter and ictus_player_scene read what surfaces show; ictus_player_snapshot keeps a state, ictus_snapshot_bytes makes bytes of it.
 * 5. ictus_player_free and ictus_patch_free, in any order.
 *
 * Handles may be null: such a call does nothing and returns null, 0, false or silence. A handle that is not null must come from this library and not be freed yet.
 * A patch is constant and may be used by several threads at once. A player may move between threads, but only one may use it at a time.
 */


#ifndef ICTUS_H
#define ICTUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * Buses that a player fills: left, right and 62 taps. Further ones are silent.
 */
#define ICTUS_MAX_BUSES 64

/**
 * Audio-rate inputs that a block takes. Further ones are ignored.
 */
#define ICTUS_MAX_AUDIO_INPUTS 64

/**
 * Events that can be reserved at once.
 */
#define ICTUS_MAX_RESERVED_EVENTS (1 << 20)

/**
 * Slots for snapshots that a player can have.
 */
#define ICTUS_MAX_SNAPSHOTS 1024

/**
 * What a block came to.
 */
typedef enum IctusStatus {
  /**
   * Something is heard, or about to be.
   */
  ICTUS_STATUS_SOUNDING = 0,
  /**
   * Nothing above -100 dBFS, and nothing waits to happen: the block can be skipped.
   */
  ICTUS_STATUS_SILENT = 1,
} IctusStatus;

/**
 * What two ends do to each other.
 */
typedef enum IctusContactState {
  /**
   * No force.
   */
  ICTUS_CONTACT_STATE_APART = 0,
  /**
   * A force between the ends.
   */
  ICTUS_CONTACT_STATE_PRESSING = 1,
  /**
   * Friction that holds.
   */
  ICTUS_CONTACT_STATE_STICKING = 2,
  /**
   * Friction that slides.
   */
  ICTUS_CONTACT_STATE_SLIDING = 3,
} IctusContactState;

/**
 * What an event does, and what its `target`, `a` and `b` mean. Members that are not named are ignored.
 */
enum IctusEventKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Sets a mass in motion. `target`: port; `a`: velocity, m/s; `b`: position to start from, m, or NaN to leave it where it is.
   */
  ICTUS_EVENT_KIND_THROW = 0,
  /**
   * A short push. `target`: port; `a`: impulse, N s; `b`: duration, s.
   */
  ICTUS_EVENT_KIND_STRIKE = 1,
  /**
   * A force that grows and lets go. `target`: port; `a`: largest force, N; `b`: duration, s.
   */
  ICTUS_EVENT_KIND_PLUCK = 2,
  /**
   * Moves an input along a straight line. `target`: input; `a`: value in its unit; `b`: how long it takes, s, 0 for a jump, or NaN for the input's own time.
   */
  ICTUS_EVENT_KIND_INPUT = 3,
  /**
   * Lets go of everything; what rings goes on.
   */
  ICTUS_EVENT_KIND_ALL_OFF = 4,
  /**
   * Begins anew; the clock goes on.
   */
  ICTUS_EVENT_KIND_RESET = 5,
  /**
   * Keeps the state in a slot. `target`: slot, see `ictus_player_reserve_snapshots`.
   */
  ICTUS_EVENT_KIND_SAVE = 6,
  /**
   * Returns to the state of a slot; the clock goes on. `target`: slot.
   */
  ICTUS_EVENT_KIND_RESTORE = 7,
  /**
   * Turns a knob that is live. `target`: knob, see `ictus_patch_find_knob`; `a`: position, 0 to 1; `b`: how long it takes, s, 0 for a jump, or NaN for the time of each input that it moves.
   */
  ICTUS_EVENT_KIND_KNOB = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum IctusEventKind IctusEventKind;
#else
typedef uint32_t IctusEventKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is wrong with an instrument file, and where.
 */
typedef struct IctusError IctusError;

/**
 * An instrument compiled for one sample rate. Constant: any number of threads may use it at once.
 */
typedef struct IctusPatch IctusPatch;

/**
 * An instrument with all the expensive results of its compilation, as bytes that can be kept or sent elsewhere.
 */
typedef struct IctusPlan IctusPlan;

/**
 * Plays a patch. One thread at a time.
 */
typedef struct IctusPlayer IctusPlayer;

/**
 * What a player looks like at one time: shapes of strings and surfaces, motions of ports, contacts. One thread at a time.
 */
typedef struct IctusScene IctusScene;

/**
 * A state of a player: bodies, contacts, inputs, strokes under way and filters.
 */
typedef struct IctusSnapshot IctusSnapshot;

/**
 * What was played, as text: one line of JSON per event.
 */
typedef struct IctusTake IctusTake;

/**
 * Something that a player moves while the patch sounds. The texts are UTF-8 and belong to the patch.
 */
typedef struct IctusInput {
  /**
   * What players call it; unique in the patch.
   */
  const char *id;
  /**
   * What it moves, as the file writes it: `bow.normal_n`.
   */
  const char *path;
  /**
   * SI unit of its values; empty for a plain number.
   */
  const char *unit;
  /**
   * Lowest value that a surface should offer.
   */
  double low;
  /**
   * Highest value that a surface should offer.
   */
  double high;
  /**
   * Values below are refused.
   */
  double limit_low;
  /**
   * Values above are refused.
   */
  double limit_high;
  /**
   * Value at time zero.
   */
  double start;
  /**
   * How long a change takes unless the event says otherwise, s.
   */
  double ramp_s;
} IctusInput;

/**
 * Something that happens at a time. At the same time, the order of the list decides.
 */
typedef struct IctusEvent {
  /**
   * Frame of the player's clock, see `ictus_player_frame`. May lie in a later block; one that is past acts at once and is counted as late.
   */
  uint64_t frame;
  /**
   * Fraction of a frame after it, 0 to 1; other values are taken as 0.
   */
  double fraction;
  /**
   * An `IctusEventKind`. Events with another number are counted and ignored.
   */
  uint32_t kind;
  /**
   * Index of a port, an input, a slot or a knob.
   */
  size_t target;
  /**
   * First value.
   */
  double a;
  /**
   * Second value.
   */
  double b;
} IctusEvent;

/**
 * An input that is moved at audio rate: a sample acts during its frame. After the block the input keeps the last one.
 */
typedef struct IctusAudioInput {
  /**
   * Index of the input.
   */
  size_t input;
  /**
   * One sample per frame, in the unit of the input; null to leave it out.
   */
  const float *samples;
} IctusAudioInput;

/**
 * Events that did not do what they said.
 */
typedef struct IctusEventCounts {
  /**
   * Came after their time and acted at once.
   */
  uint64_t late;
  /**
   * Named a port, an input or a slot that does not exist, or asked for what the body cannot do.
   */
  uint64_t impossible;
  /**
   * Had a value that is not finite or out of the limits of its input.
   */
  uint64_t out_of_range;
  /**
   * Found the queue or the strokes of a port full.
   */
  uint64_t overflowed;
  /**
   * Had a kind that does not exist.
   */
  uint64_t unknown;
} IctusEventCounts;

/**
 * Levels of the last block and the energy after it.
 */
typedef struct IctusMeter {
  /**
   * Frames played.
   */
  uint64_t frame;
  /**
   * Largest magnitude of the left samples.
   */
  float peak_left;
  /**
   * Largest magnitude of the right samples.
   */
  float peak_right;
  /**
   * Root of the mean square of the left samples.
   */
  float rms_left;
  /**
   * Root of the mean square of the right samples.
   */
  float rms_right;
  /**
   * Time that a block took over the time that it lasts: of the last one that was timed, one in 256 frames at least. NaN before, and where there is no clock.
   */
  float load;
  /**
   * Energy stored in all bodies and contacts, J.
   */
  double stored_j;
  /**
   * Work done from outside since the start, J.
   */
  double supplied_j;
  /**
   * Lost since the start, J: supplied less the change of what is stored. A figure of the meter; only the ledger measures losses.
   */
  double lost_j;
  /**
   * Contacts that push or rub, but for gestures.
   */
  uint32_t contacts;
  /**
   * Bodies that were stopped because their state was not finite.
   */
  uint32_t quarantined;
} IctusMeter;

/**
 * Level of a tap over the last block.
 */
typedef struct IctusLevel {
  /**
   * Largest magnitude.
   */
  float peak;
  /**
   * Root of the mean square.
   */
  float rms;
} IctusLevel;

/**
 * The shape of a string. What it points to belongs to the scene.
 */
typedef struct IctusStringLine {
  /**
   * Id in the file, UTF-8.
   */
  const char *id;
  /**
   * Number of points; 0 for a string without a grid.
   */
  size_t count;
  /**
   * Distances of the points from the beginning of the string, m.
   */
  const double *positions_m;
  /**
   * Displacements of the points, m.
   */
  const double *displacements_m;
  /**
   * Number of barriers on it.
   */
  size_t barrier_count;
} IctusStringLine;

/**
 * A point of a barrier.
 */
typedef struct IctusBarrierPoint {
  /**
   * Distance from the beginning of the string, m.
   */
  double position_m;
  /**
   * Height as it stands now, m.
   */
  double height_m;
} IctusBarrierPoint;

/**
 * The shape of a membrane or plate. What it points to belongs to the scene.
 */
typedef struct IctusSurfaceMap {
  /**
   * Id in the file, UTF-8; of a drum with its head.
   */
  const char *id;
  /**
   * Points per row.
   */
  size_t columns;
  /**
   * Rows, from y = 0 on.
   */
  size_t rows;
  /**
   * Displacements, row by row, m; NaN outside a disc.
   */
  const double *displacements_m;
} IctusSurfaceMap;

/**
 * Where a port is and how it moves.
 */
typedef struct IctusPortMotion {
  /**
   * m
   */
  double displacement_m;
  /**
   * m/s
   */
  double velocity_m_s;
} IctusPortMotion;

/**
 * A contact: of an interaction, or of a point of a barrier, a wire or a fingertip.
 */
typedef struct IctusContactMotion {
  /**
   * Id in the file of the interaction, barrier, wires or finger, UTF-8; belongs to the scene.
   */
  const char *id;
  /**
   * What it does.
   */
  enum IctusContactState state;
  /**
   * Force over the last step, N: positive pushes the ends apart; of friction, along the surfaces.
   */
  double force_n;
  /**
   * Normal force of friction, N; otherwise 0.
   */
  double normal_n;
  /**
   * Velocity at which the ends approach each other, m/s; of friction, at which they slip. 0 while apart.
   */
  double velocity_m_s;
  /**
   * Index of the string it is on, or SIZE_MAX.
   */
  size_t string;
  /**
   * Index of the surface it is on, or SIZE_MAX.
   */
  size_t surface;
  /**
   * Where on it: the distance from the beginning of the string, m, or x on the surface; NaN if on neither.
   */
  double x;
  /**
   * y on the surface, or NaN.
   */
  double y;
} IctusContactMotion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The text of an error: `bar.toml:7:12: message`, and in a second line a way out if one is known. UTF-8; valid until the error is freed.
 *
 * Any thread. Does not allocate. Null for null.
 */
const char *ictus_error_message(const struct IctusError *error);

/**
 * Frees an error.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_error_free(struct IctusError *error);

/**
 * Reads, checks and compiles the text of an instrument file. `name` stands in messages and may be null.
 *
 * Null if that fails: then `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
 *
 * Any thread but the audio thread. Allocates, and takes its time.
 *
 * # Safety
 * `name` and `toml` are null or texts that end in a zero byte; `error` is null or points to a pointer that can be written.
 */
struct IctusPatch *ictus_patch_from_text(const char *name,
                                         const char *toml,
                                         uint32_t sample_rate,
                                         struct IctusError **error);

/**
 * Links the bytes of a plan (`ictus_plan_bytes`) to a patch: a millisecond or two, where compiling its text may take half a second. The patch sounds the same to the bit.
 *
 * Null if that fails, for instance because another version of the library made the plan; `error` as in `ictus_patch_from_text`.
 *
 * Any thread but the audio thread. Allocates.
 *
 * # Safety
 * `bytes` is null or points to `length` bytes; `error` is null or points to a pointer that can be written.
 */
struct IctusPatch *ictus_patch_from_plan(const uint8_t *bytes,
                                         size_t length,
                                         struct IctusError **error);

/**
 * Frees a patch. Players of it stay valid; texts of it do not.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_patch_free(struct IctusPatch *patch);

/**
 * The sample rate it was compiled for, Hz; 0 for null.
 *
 * Any thread. Does not allocate.
 */
uint32_t ictus_patch_sample_rate(const struct IctusPatch *patch);

/**
 * Frames by which the sound comes late: the delay of the filters behind `oversampling`. Plug-ins report it to their hosts.
 *
 * Any thread. Does not allocate.
 */
size_t ictus_patch_latency_frames(const struct IctusPatch *patch);

/**
 * Number of ports that events can reach.
 *
 * Any thread. Does not allocate.
 */
size_t ictus_patch_port_count(const struct IctusPatch *patch);

/**
 * Name of a port (`mallet`, `bar.strike`), UTF-8, valid as long as the patch; null if there is no such port.
 *
 * Any thread. Does not allocate.
 */
const char *ictus_patch_port_name(const struct IctusPatch *patch, size_t port);

/**
 * Index of the port of that name, or `SIZE_MAX`.
 *
 * Any thread. Does not allocate.
 *
 * # Safety
 * `name` is null or a text that ends in a zero byte.
 */
size_t ictus_patch_find_port(const struct IctusPatch *patch, const char *name);

/**
 * Number of taps: each is a bus of its own behind left and right.
 *
 * Any thread. Does not allocate.
 */
size_t ictus_patch_tap_count(const struct IctusPatch *patch);

/**
 * Name of a tap, UTF-8, valid as long as the patch; null if there is no such tap.
 *
 * Any thread. Does not allocate.
 */
const char *ictus_patch_tap_name(const struct IctusPatch *patch, size_t tap);

/**
 * Number of inputs.
 *
 * Any thread. Does not allocate.
 */
size_t ictus_patch_input_count(const struct IctusPatch *patch);

/**
 * Describes an input in `*description`. False, and nothing is written, if there is no such input.
 *
 * Any thread. Does not allocate.
 */
bool ictus_patch_input(const struct IctusPatch *patch, size_t input, struct IctusInput *description);

/**
 * Index of the input of that id or path, or `SIZE_MAX`.
 *
 * Any thread. Does not allocate.
 *
 * # Safety
 * `name` is null or a text that ends in a zero byte.
 */
size_t ictus_patch_find_input(const struct IctusPatch *patch, const char *name);

/**
 * Index of the knob of that id or name, whether it is live or not; `SIZE_MAX` if the patch has none. An event that turns a knob that is not live is counted as impossible.
 *
 * Any thread. Does not allocate.
 *
 * # Safety
 * `name` is null or a text that ends in a zero byte.
 */
size_t ictus_patch_find_knob(const struct IctusPatch *patch,
                             const char *name);

/**
 * True if a knob can be turned while the instrument sounds.
 *
 * Any thread. Does not allocate.
 */
bool ictus_patch_knob_is_live(const struct IctusPatch *patch, size_t knob);

/**
 * Compiles the text of an instrument file to a plan; parameters and errors as in `ictus_patch_from_text`.
 *
 * Any thread but the audio thread. Allocates, and takes its time.
 *
 * # Safety
 * `name` and `toml` are null or texts that end in a zero byte; `error` is null or points to a pointer that can be written.
 */
struct IctusPlan *ictus_plan_from_text(const char *name,
                                       const char *toml,
                                       uint32_t sample_rate,
                                       struct IctusError **error);

/**
 * The bytes of a plan, for `ictus_patch_from_plan` on any machine with this version of the library. They belong to the plan; null for null.
 *
 * Any thread. Does not allocate.
 */
const uint8_t *ictus_plan_bytes(const struct IctusPlan *plan);

/**
 * Number of the bytes of a plan; 0 for null.
 *
 * Any thread. Does not allocate.
 */
size_t ictus_plan_length(const struct IctusPlan *plan);

/**
 * Frees a plan. Patches linked from it stay valid.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_plan_free(struct IctusPlan *plan);

/**
 * Makes a player of a patch, at time zero. It stays valid when the patch is freed. Null for null.
 *
 * Any thread but the audio thread. Allocates.
 */
struct IctusPlayer *ictus_player_new(const struct IctusPatch *patch);

/**
 * Frees a player.
 *
 * Any thread but the audio thread, when no other uses the player. Frees memory.
 */
void ictus_player_free(struct IctusPlayer *player);

/**
 * Switches the energy ledger on or off; it is on at first. Off is cheaper; the sound is the same. Switched on, it begins anew with the energy stored now.
 *
 * The thread that uses the player. Does not allocate.
 */
void ictus_player_audit(struct IctusPlayer *player,
                        bool enabled);

/**
 * Frames played so far: the time of the next frame.
 *
 * The thread that uses the player. Does not allocate.
 */
uint64_t ictus_player_frame(const struct IctusPlayer *player);

/**
 * Plays the next `frames` frames.
 *
 * `events` may lie in this block or in later ones; up to 4096 wait, or as many as were reserved. `buses` are left, right, then the taps in their order, as many as are wanted; one alone gets
 * the mean of left and right. Buses that are null are left out; those beyond the taps get silence. Without any bus the time passes unheard. Buffers of samples may be the same or
 * overlap: a bus may be the buffer of an input, if both begin at the same place. A null player fills the buses with silence.
 *
 * The audio thread. Does not allocate, lock, wait or fail, whatever the events and samples are.
 *
 * # Safety
 * `events`, `inputs` and `buses` are null or lists of at least `event_count`, `input_count` and `bus_count` elements, outside of the buffers. Every pointer in `inputs` and `buses` is null or
 * points to at least `frames` samples.
 */
enum IctusStatus ictus_player_process(struct IctusPlayer *player,
                                      const struct IctusEvent *events,
                                      size_t event_count,
                                      const struct IctusAudioInput *inputs,
                                      size_t input_count,
                                      float *const *buses,
                                      size_t bus_count,
                                      size_t frames);

/**
 * Events that did not do what they said, so far; all 0 for null. A refused sample of an audio-rate input counts as an event.
 *
 * The thread that uses the player. Does not allocate.
 */
struct IctusEventCounts ictus_player_event_counts(const struct IctusPlayer *player);

/**
 * Makes space for `events` further events in the queue. False, and nothing changes, if that is more than `ICTUS_MAX_RESERVED_EVENTS`.
 *
 * Any thread but the audio thread, when no other uses the player. Allocates.
 */
bool ictus_player_reserve_events(struct IctusPlayer *player,
                                 size_t events);

/**
 * Makes `slots` slots for `ICTUS_EVENT_KIND_SAVE`, each with the state of time zero; what was saved before is lost. False, and nothing changes, if that is more than
 * `ICTUS_MAX_SNAPSHOTS`.
 *
 * Any thread but the audio thread, when no other uses the player. Allocates.
 */
bool ictus_player_reserve_snapshots(struct IctusPlayer *player,
                                    size_t slots);

/**
 * Writes levels of the last block and the energy now to `*meter`. False, and nothing is written, if one of the two is null.
 *
 * The thread that uses the player. Does not allocate; costs one pass over the state.
 */
bool ictus_player_meter(const struct IctusPlayer *player,
                        struct IctusMeter *meter);

/**
 * Writes the level of a tap over the last block to `*level`. False, and nothing is written, if there is no such tap.
 *
 * The thread that uses the player. Does not allocate.
 */
bool ictus_player_tap_level(const struct IctusPlayer *player, size_t tap, struct IctusLevel *level);

/**
 * Name of a body that was stopped because its state was not finite, `index` of them counted from 0; null if there are not as many. UTF-8, valid as long as the player.
 *
 * The thread that uses the player. Does not allocate.
 */
const char *ictus_player_quarantined(const struct IctusPlayer *player,
                                     size_t index);

/**
 * Switches the sums of the meter on or off: the work done from outside, levels of taps, and load. They are on at first, and cost little; the sound is the same. Switched on, they begin
 * anew.
 *
 * The thread that uses the player. Does not allocate.
 */
void ictus_player_measure(struct IctusPlayer *player,
                          bool enabled);

/**
 * The state of now, to return to. Null for null.
 *
 * The thread that uses the player, but not the audio thread. Allocates.
 */
struct IctusSnapshot *ictus_player_snapshot(const struct IctusPlayer *player);

/**
 * Writes the state of now over an older snapshot. False, and nothing is written, if that is of another patch, or if one of the two is null. Bytes that were made of the older one are gone.
 *
 * The audio thread. Does not allocate.
 */
bool ictus_player_save(const struct IctusPlayer *player,
                       struct IctusSnapshot *snapshot);

/**
 * Returns to a snapshot; the clock and the events that wait go on. False, and nothing changes, if it is of another patch, or if one of the two is null.
 *
 * The audio thread. Does not allocate.
 */
bool ictus_player_restore(struct IctusPlayer *player,
                          const struct IctusSnapshot *snapshot);

/**
 * The snapshot as bytes, to keep in a file or to send; `*length` receives their number. They belong to the snapshot and are valid until it is freed or saved to. Null, and 0, for null.
 *
 * Any thread but the audio thread, when no other uses the snapshot. Allocates.
 */
const uint8_t *ictus_snapshot_bytes(struct IctusSnapshot *snapshot,
                                    size_t *length);

/**
 * The snapshot of a player of `patch` from its bytes: of the same file, with the same settings, at the same sample rate.
 *
 * Null if they are not that: then `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
 *
 * Any thread but the audio thread. Allocates.
 *
 * # Safety
 * `bytes` is null or points to at least `length` bytes; `error` is null or points to a pointer that can be written.
 */
struct IctusSnapshot *ictus_snapshot_from_bytes(const struct IctusPatch *patch,
                                                const uint8_t *bytes,
                                                size_t length,
                                                struct IctusError **error);

/**
 * Frees a snapshot.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_snapshot_free(struct IctusSnapshot *snapshot);

/**
 * Makes a scene of a patch, with everything at 0. Null for null.
 *
 * Any thread but the audio thread. Allocates.
 */
struct IctusScene *ictus_scene_new(const struct IctusPatch *patch);

/**
 * Frees a scene.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_scene_free(struct IctusScene *scene);

/**
 * Fills a scene from a player. False, and nothing is written, if it is of another patch, or if one of the two is null.
 *
 * The audio thread. Does not allocate. To draw on another thread, hand the scene over as you hand over other data; the library does not.
 */
bool ictus_player_scene(const struct IctusPlayer *player,
                        struct IctusScene *scene);

/**
 * Frames that were played when the scene was filled; 0 for null.
 *
 * The thread that uses the scene. Does not allocate.
 */
uint64_t ictus_scene_frame(const struct IctusScene *scene);

/**
 * Writes the shape of string `index` to `*line`. False, and nothing is written, if there is no such string; strings are counted from 0 without gaps.
 *
 * The thread that uses the scene. Does not allocate.
 */
bool ictus_scene_string(const struct IctusScene *scene,
                        size_t index,
                        struct IctusStringLine *line);

/**
 * Writes point `point` of barrier `barrier` of string `string` to `*out`. False, and nothing is written, if there is no such point; all three are counted from 0 without gaps.
 *
 * The thread that uses the scene. Does not allocate.
 */
bool ictus_scene_barrier_point(const struct IctusScene *scene,
                               size_t string,
                               size_t barrier,
                               size_t point,
                               struct IctusBarrierPoint *out);

/**
 * Writes the shape of surface `index` to `*map`. False, and nothing is written, if there is no such surface; surfaces are counted from 0 without gaps.
 *
 * The thread that uses the scene. Does not allocate.
 */
bool ictus_scene_surface(const struct IctusScene *scene,
                         size_t index,
                         struct IctusSurfaceMap *map);

/**
 * Writes the motion of port `index`, as `ictus_patch_find_port` counts them, to `*motion`. False, and nothing is written, if there is no such port.
 *
 * The thread that uses the scene. Does not allocate.
 */
bool ictus_scene_port(const struct IctusScene *scene,
                      size_t index,
                      struct IctusPortMotion *motion);

/**
 * Writes contact `index` to `*motion`. False, and nothing is written, if there is no such contact; contacts are counted from 0 without gaps.
 *
 * The thread that uses the scene. Does not allocate.
 */
bool ictus_scene_contact(const struct IctusScene *scene,
                         size_t index,
                         struct IctusContactMotion *motion);

/**
 * Records the events of the next blocks, audio-rate inputs among them, at most `events`; what does not fit is counted as overflowed. False, and nothing changes, if that is more than
 * `ICTUS_MAX_RESERVED_EVENTS`. A recording under way is dropped.
 *
 * Any thread but the audio thread, when no other uses the player. Allocates.
 */
bool ictus_player_start_recording(struct IctusPlayer *player,
                                  size_t events);

/**
 * Ends the recording. Returns what was recorded, without any event if nothing was; the caller frees it. Playing it from the same start gives the same samples. Null for null.
 *
 * Any thread but the audio thread, when no other uses the player. Allocates.
 */
struct IctusTake *ictus_player_stop_recording(struct IctusPlayer *player);

/**
 * Reads the text of a take and puts its events into the queue, which grows by as many. A frame is one of the player's clock, so a take of a whole performance is for a new player.
 * Slots that the take uses must have been reserved.
 *
 * False if the text is no take of the player's patch: then no event is taken, and `error`, unless it is null itself, receives an error that the caller frees; otherwise it receives null.
 *
 * Any thread but the audio thread, when no other uses the player. Allocates.
 *
 * # Safety
 * `take` is null or a text that ends in a zero byte; `error` is null or points to a pointer that can be written.
 */
bool ictus_player_play_take(struct IctusPlayer *player,
                            const char *take,
                            struct IctusError **error);

/**
 * The text of a take, which any version of this library with the same format reads again. UTF-8; valid until the take is freed. Null for null.
 *
 * Any thread. Does not allocate.
 */
const char *ictus_take_text(const struct IctusTake *take);

/**
 * Frees a take.
 *
 * Any thread but the audio thread. Frees memory.
 */
void ictus_take_free(struct IctusTake *take);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ICTUS_H */
