// Times a class `mydsp`, made by Faust or written by hand: for every line on standard input one short run, answered by nanoseconds per sample and whether another program used the core.
// BLOCK is the number of samples of a call. With RESTART the class begins anew before every run, because its sound decays.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef FAUSTFLOAT
#define FAUSTFLOAT double
#endif

// what the class of Faust needs; nobody turns a knob here
struct Meta {
    void declare(const char*, const char*) {}
};
struct UI {
    void openVerticalBox(const char*) {}
    void closeBox() {}
    void declare(FAUSTFLOAT*, const char*, const char*) {}
};
struct dsp {
    virtual ~dsp() {}
};

<<includeIntrinsic>>
<<includeclass>>

int main() {
    const int block = BLOCK;
    const double seconds = 0.0005; // of a run
    static mydsp machine;
    machine.init(48000);
    static FAUSTFLOAT in[block], out[block];
    uint32_t noise = 1;
    for (auto& x : in) {
        noise = noise * 1664525u + 1013904223u;
        x = (int32_t)noise * 1e-13;
    }
    FAUSTFLOAT *inputs[] = {in}, *outputs[] = {out};
    double heard = 0;
    auto run = [&](int blocks) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < blocks; i++) {
            machine.compute(block, inputs, outputs);
            heard += out[block - 1];
        }
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        return taken.count();
    };
    // a loop that loads and adds fast takes longer while another program uses the core, as in disturbance.rs; written in vectors, so that it is fast with any flags
    typedef double lanes __attribute__((vector_size(64)));
    static lanes numbers[96];
    double shortest = 1;
    auto disturbed = [&] {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; i++) {
            lanes sums[4] = {};
            for (int n = 0; n < 96; n += 4)
                for (int k = 0; k < 4; k++) sums[k] += numbers[n + k];
            lanes sum = sums[0] + sums[1] + sums[2] + sums[3];
            heard += sum[0] + sum[7];
            asm volatile("" ::: "memory");
        }
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        shortest = std::min(shortest, taken.count());
        return taken.count() > 1.06 * shortest;
    };
    for (int i = 0; i < 2000; i++) disturbed();
    run(20);
    double least = 1;
    for (int i = 0; i < 20; i++) least = std::min(least, run(10));
    const int blocks = std::max(1, (int)(seconds / least * 10));
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        // some milliseconds of patience
        for (int i = 0; i < 3000 && disturbed(); i++) {
        }
#ifdef RESTART
        machine.init(48000);
#endif
        run(2);
        bool before = disturbed();
        double taken = run(blocks);
        bool after = disturbed();
        printf("%.6f %s %g\n", taken * 1e9 / blocks / block, before || after ? "disturbed" : "undisturbed", heard);
        fflush(stdout);
    }
}
