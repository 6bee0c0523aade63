/* Strikes a bar by events, block by block, and checks what comes out.
 *
 *   cargo build --release -p ictus-capi
 *   cc -Icrates/ictus-capi/include crates/ictus-capi/examples/play.c target/release/libictus_capi.a -lm -lpthread -ldl -o play
 */
#include "ictus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 480

static const char *const BAR = "format = 1\n"
                               "[[resonator]]\n"
                               "id = \"bar\"\n"
                               "kind = \"modes\"\n"
                               "frequency_hz = [\"A4\", 1213.0]\n"
                               "decay_s = 1.0\n"
                               "mass_kg = 0.1\n"
                               "ports = { tip = [1.0, -0.6] }\n"
                               "[[tap]]\n"
                               "from = \"bar.tip\"\n";

/* Line 6 is wrong. */
static const char *const BAD = "format = 1\n"
                               "[[resonator]]\n"
                               "id = \"bar\"\n"
                               "kind = \"modes\"\n"
                               "frequency_hz = [440.0]\n"
                               "decay_s = -1.0\n"
                               "mass_kg = 0.1\n";

static int fail(const char *what) {
    fprintf(stderr, "play: %s\n", what);
    return 1;
}

int main(void) {
    IctusError *error = NULL;
    if (ictus_patch_from_text("bad.toml", BAD, 48000, &error) != NULL || error == NULL) {
        return fail("a bad file was accepted");
    }
    printf("%s\n", ictus_error_message(error));
    if (strstr(ictus_error_message(error), "bad.toml:6:") == NULL) {
        return fail("the error does not name the line");
    }
    ictus_error_free(error);

    IctusPatch *patch = ictus_patch_from_text("bar.toml", BAR, 48000, &error);
    if (patch == NULL) {
        fprintf(stderr, "%s\n", ictus_error_message(error));
        ictus_error_free(error);
        return 1;
    }
    for (size_t i = 0; i < ictus_patch_input_count(patch); i++) {
        IctusInput input;
        ictus_patch_input(patch, i, &input);
        printf("input %s: %g to %g %s, starts at %g\n", input.id, input.low, input.high, input.unit, input.start);
    }
    size_t tip = ictus_patch_find_port(patch, "bar.tip");
    if (tip == SIZE_MAX || ictus_patch_find_port(patch, "bar.top") != SIZE_MAX) {
        return fail("ports are not found by their names");
    }
    IctusPlayer *player = ictus_player_new(patch);
    IctusPlayer *again = ictus_player_new(patch);
    if (!ictus_player_start_recording(player, 1000)) {
        return fail("nothing is recorded");
    }
    ictus_player_audit(player, false); /* the meter needs no ledger */

    float left[BLOCK], right[BLOCK];
    float *buses[] = {left, right};
    double loudest = 0.0;
    for (int block = 0; block < 100; block++) {
        /* a strike in every tenth block, half a block late */
        IctusEvent strike = {.frame = ictus_player_frame(player) + BLOCK / 2,
                             .kind = ICTUS_EVENT_KIND_STRIKE,
                             .target = tip,
                             .a = 0.02,   /* N s */
                             .b = 0.002}; /* s */
        ictus_player_process(player, &strike, block % 10 == 0, NULL, 0, buses, 2, BLOCK);
        for (int n = 0; n < BLOCK; n++) {
            if (!isfinite(left[n]) || !isfinite(right[n])) {
                return fail("a sample is not finite");
            }
            loudest = fmax(loudest, fabs(left[n]));
        }
    }

    IctusTake *take = ictus_player_stop_recording(player);

    /* a snapshot as bytes: what comes after it sounds the same again */
    IctusSnapshot *taken = ictus_player_snapshot(player);
    size_t length = 0;
    const uint8_t *bytes = ictus_snapshot_bytes(taken, &length);
    if (bytes == NULL || ictus_snapshot_from_bytes(patch, bytes, length / 2, &error) != NULL || error == NULL) {
        return fail("half a snapshot was accepted");
    }
    printf("%s\n", ictus_error_message(error));
    ictus_error_free(error);
    IctusSnapshot *read = ictus_snapshot_from_bytes(patch, bytes, length, &error);
    float first[BLOCK], second[BLOCK];
    float *to_first[] = {first}, *to_second[] = {second};
    ictus_player_process(player, NULL, 0, NULL, 0, to_first, 1, BLOCK);
    if (read == NULL || !ictus_player_restore(player, read)) {
        return fail("a snapshot is not of its own patch");
    }
    ictus_player_process(player, NULL, 0, NULL, 0, to_second, 1, BLOCK);
    if (memcmp(first, second, sizeof first) != 0) {
        return fail("a restored player sounds different");
    }
    ictus_snapshot_free(taken);
    ictus_snapshot_free(read);

    /* a scene: where the tip is */
    IctusScene *scene = ictus_scene_new(patch);
    IctusPortMotion motion;
    IctusStringLine line;
    if (!ictus_player_scene(player, scene) || ictus_scene_frame(scene) != ictus_player_frame(player) ||
        !ictus_scene_port(scene, tip, &motion) || motion.velocity_m_s == 0.0 || ictus_scene_string(scene, 0, &line)) {
        return fail("the scene is wrong");
    }
    printf("tip at %.3g m, %.3g m/s\n", motion.displacement_m, motion.velocity_m_s);
    ictus_scene_free(scene);
    ictus_patch_free(patch);

    IctusMeter meter;
    IctusLevel level;
    IctusEventCounts counts = ictus_player_event_counts(player);
    if (!ictus_player_meter(player, &meter) || meter.frame != 102 * BLOCK || !(meter.supplied_j > 0.0) ||
        !(meter.lost_j > 0.0) || !(meter.rms_left > 0.0f) || !(meter.load > 0.0f) ||
        !ictus_player_tap_level(player, 0, &level) || ictus_player_tap_level(player, 1, &level) ||
        ictus_player_quarantined(player, 0) != NULL) {
        return fail("the meter is wrong");
    }
    if (counts.late + counts.impossible + counts.out_of_range + counts.overflowed + counts.unknown != 0) {
        return fail("an event was refused");
    }
    if (!(loudest > 0.01)) {
        return fail("silence");
    }
    /* the take on a second player gives the last block once more */
    if (ictus_player_play_take(again, "{\"take\":1,\"sample_rate\":48000}\n{\"frame\":0,\"sing\":{}}", &error)) {
        return fail("a bad take was accepted");
    }
    printf("%s\n", ictus_error_message(error));
    if (strstr(ictus_error_message(error), "line 2") == NULL) {
        return fail("the error does not name the line of the take");
    }
    ictus_error_free(error);
    if (!ictus_player_play_take(again, ictus_take_text(take), NULL)) {
        return fail("the take is not read");
    }
    float twice_left[BLOCK], twice_right[BLOCK];
    float *twice[] = {twice_left, twice_right};
    for (int block = 0; block < 100; block++) {
        ictus_player_process(again, NULL, 0, NULL, 0, twice, 2, BLOCK);
    }
    if (memcmp(left, twice_left, sizeof left) != 0 || memcmp(right, twice_right, sizeof right) != 0) {
        return fail("the take sounds otherwise");
    }
    ictus_take_free(take);
    ictus_player_free(again);

    printf("loudest %.3f, supplied %.3g J, stored %.3g J\n", loudest, meter.supplied_j, meter.stored_j);
    ictus_player_free(player);
    puts("OK");
    return 0;
}
