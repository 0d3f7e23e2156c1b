// Worker threads, while the calling one watches for Ctrl-C, progress and exceptions.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace discreet {

// Thrown inside a worker to stop it when another one, or the watcher, has requested a stop.
struct Stopped {};

// Runs `work(number)` for numbers 0 .. threads - 1, each on its own thread, and `tick` on this one a few times a
// second. The first exception sets `stop` and is rethrown here once all threads have ended. With zero threads the work
// is done on the calling thread, for work that ends sooner than a thread would start.
template <typename Work>
void run_crew(unsigned threads, std::atomic<bool>& stop, const std::function<void()>& tick, Work work) {
    if (threads == 0) return work(0);
    std::mutex mutex;
    std::condition_variable finished;
    std::size_t running = threads;
    std::exception_ptr failure;
    std::vector<std::thread> crew;
    const auto fail = [&] {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        stop = true;
    };
    const auto leave = [&] {
        const std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };
    const auto body = [&](unsigned number) {
        try {
            work(number);
        } catch (const Stopped&) {
        } catch (...) {
            fail();
        }
        leave();
    };
    for (unsigned number = 0; number < threads; ++number) {
        try {
            crew.emplace_back(body, number);
        } catch (...) {  // no more threads are available
            fail();
            leave();
        }
    }
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
        lock.unlock();
        try {
            if (!stop) tick();
        } catch (...) {
            fail();
        }
        lock.lock();
    }
    lock.unlock();
    for (std::thread& member : crew) member.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace discreet
